//go:build ge23

// Package runtimeapi is the container runtime interface in the version that a release speaks with a runtime that it is given.
package runtimeapi

import cri "k8s.io/cri-api/pkg/apis/runtime/v1"

type (
	AuthConfig                  = cri.AuthConfig
	Container                   = cri.Container
	ContainerConfig             = cri.ContainerConfig
	ContainerFilter             = cri.ContainerFilter
	ContainerMetadata           = cri.ContainerMetadata
	ContainerState              = cri.ContainerState
	ContainerStatus             = cri.ContainerStatus
	ContainerStatusResponse     = cri.ContainerStatusResponse
	FilesystemUsage             = cri.FilesystemUsage
	Image                       = cri.Image
	ImageFilter                 = cri.ImageFilter
	ImageFsInfoResponse         = cri.ImageFsInfoResponse
	ImageSpec                   = cri.ImageSpec
	ImageStatusResponse         = cri.ImageStatusResponse
	LinuxContainerResources     = cri.LinuxContainerResources
	LinuxPodSandboxConfig       = cri.LinuxPodSandboxConfig
	LinuxPodSandboxStatus       = cri.LinuxPodSandboxStatus
	LinuxSandboxSecurityContext = cri.LinuxSandboxSecurityContext
	Namespace                   = cri.Namespace
	NamespaceOption             = cri.NamespaceOption
	PodSandbox                  = cri.PodSandbox
	PodSandboxConfig            = cri.PodSandboxConfig
	PodSandboxFilter            = cri.PodSandboxFilter
	PodSandboxMetadata          = cri.PodSandboxMetadata
	PodSandboxNetworkStatus     = cri.PodSandboxNetworkStatus
	PodSandboxState             = cri.PodSandboxState
	PodSandboxStatus            = cri.PodSandboxStatus
	PodSandboxStatusResponse    = cri.PodSandboxStatusResponse
	RuntimeCondition            = cri.RuntimeCondition
	RuntimeConfig               = cri.RuntimeConfig
	RuntimeStatus               = cri.RuntimeStatus
	StatusResponse              = cri.StatusResponse
	VersionResponse             = cri.VersionResponse
)

const (
	ContainerState_CONTAINER_CREATED = cri.ContainerState_CONTAINER_CREATED
	ContainerState_CONTAINER_EXITED  = cri.ContainerState_CONTAINER_EXITED
	ContainerState_CONTAINER_RUNNING = cri.ContainerState_CONTAINER_RUNNING
	ContainerState_CONTAINER_UNKNOWN = cri.ContainerState_CONTAINER_UNKNOWN
	NamespaceMode_NODE               = cri.NamespaceMode_NODE
	NamespaceMode_POD                = cri.NamespaceMode_POD
	NetworkReady                     = cri.NetworkReady
	PodSandboxState_SANDBOX_NOTREADY = cri.PodSandboxState_SANDBOX_NOTREADY
	PodSandboxState_SANDBOX_READY    = cri.PodSandboxState_SANDBOX_READY
	RuntimeReady                     = cri.RuntimeReady
)
