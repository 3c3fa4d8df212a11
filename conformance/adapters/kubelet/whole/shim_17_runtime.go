//go:build !ge18

package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1alpha2"
	"k8s.io/kubernetes/pkg/kubelet"
	utilexec "k8s.io/utils/exec"
)

// To 1.17 a kubelet takes a runtime's address only: ours answers on a socket in the same process.

func socketIn(root string) string { return filepath.Join(root, "runtime.sock") }

// addRuntime begins to answer; a kubelet that died keeps the connection that it has.
func addRuntime(_ *kubelet.Dependencies, w *world, root string) error {
	_ = os.Remove(socketIn(root))
	listener, err := net.Listen("unix", socketIn(root))
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.UnaryInterceptor(withCode))
	cri.RegisterRuntimeServiceServer(server, &runtimeServer{o: oldRuntime{c: w.cri}})
	cri.RegisterImageServiceServer(server, &imageServer{})
	go func() { _ = server.Serve(listener) }()
	return nil
}

// noCode is the code of an error whose text has none; names.restore takes it out again.
const noCode = codes.Code(99)

func withCode(ctx context.Context, r interface{}, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (interface{}, error) {
	reply, err := handle(ctx, r)
	if err == nil {
		return reply, nil
	}
	if _, ok := status.FromError(err); ok {
		return nil, err
	}
	made := rpcError(err.Error())
	if _, ok := status.FromError(made); !ok {
		made = status.Error(noCode, err.Error())
	}
	return nil, made
}

// runtimeServer has what a kubelet of ours asks for; nil: another request panics.
type runtimeServer struct {
	cri.RuntimeServiceServer
	o oldRuntime
}

func (s *runtimeServer) Version(_ context.Context, r *cri.VersionRequest) (*cri.VersionResponse, error) {
	return s.o.Version(r.Version)
}

func (s *runtimeServer) Status(context.Context, *cri.StatusRequest) (*cri.StatusResponse, error) {
	got, err := s.o.Status()
	return &cri.StatusResponse{Status: got}, err
}

func (s *runtimeServer) UpdateRuntimeConfig(context.Context, *cri.UpdateRuntimeConfigRequest) (*cri.UpdateRuntimeConfigResponse, error) {
	return &cri.UpdateRuntimeConfigResponse{}, nil
}

func (s *runtimeServer) RunPodSandbox(_ context.Context, r *cri.RunPodSandboxRequest) (*cri.RunPodSandboxResponse, error) {
	id, err := s.o.RunPodSandbox(r.Config, r.RuntimeHandler)
	return &cri.RunPodSandboxResponse{PodSandboxId: id}, err
}

func (s *runtimeServer) StopPodSandbox(_ context.Context, r *cri.StopPodSandboxRequest) (*cri.StopPodSandboxResponse, error) {
	return &cri.StopPodSandboxResponse{}, s.o.StopPodSandbox(r.PodSandboxId)
}

func (s *runtimeServer) RemovePodSandbox(_ context.Context, r *cri.RemovePodSandboxRequest) (*cri.RemovePodSandboxResponse, error) {
	return &cri.RemovePodSandboxResponse{}, s.o.RemovePodSandbox(r.PodSandboxId)
}

func (s *runtimeServer) PodSandboxStatus(_ context.Context, r *cri.PodSandboxStatusRequest) (*cri.PodSandboxStatusResponse, error) {
	got, err := s.o.PodSandboxStatus(r.PodSandboxId)
	return &cri.PodSandboxStatusResponse{Status: got}, err
}

func (s *runtimeServer) ListPodSandbox(_ context.Context, r *cri.ListPodSandboxRequest) (*cri.ListPodSandboxResponse, error) {
	all, err := s.o.ListPodSandbox(r.Filter)
	return &cri.ListPodSandboxResponse{Items: all}, err
}

func (s *runtimeServer) CreateContainer(_ context.Context, r *cri.CreateContainerRequest) (*cri.CreateContainerResponse, error) {
	id, err := s.o.CreateContainer(r.PodSandboxId, r.Config, r.SandboxConfig)
	return &cri.CreateContainerResponse{ContainerId: id}, err
}

func (s *runtimeServer) StartContainer(_ context.Context, r *cri.StartContainerRequest) (*cri.StartContainerResponse, error) {
	return &cri.StartContainerResponse{}, s.o.StartContainer(r.ContainerId)
}

func (s *runtimeServer) StopContainer(ctx context.Context, r *cri.StopContainerRequest) (*cri.StopContainerResponse, error) {
	return &cri.StopContainerResponse{}, s.o.c.StopContainer(ctx, r.ContainerId, r.Timeout)
}

func (s *runtimeServer) RemoveContainer(_ context.Context, r *cri.RemoveContainerRequest) (*cri.RemoveContainerResponse, error) {
	return &cri.RemoveContainerResponse{}, s.o.RemoveContainer(r.ContainerId)
}

func (s *runtimeServer) ListContainers(_ context.Context, r *cri.ListContainersRequest) (*cri.ListContainersResponse, error) {
	all, err := s.o.ListContainers(r.Filter)
	return &cri.ListContainersResponse{Containers: all}, err
}

func (s *runtimeServer) ContainerStatus(_ context.Context, r *cri.ContainerStatusRequest) (*cri.ContainerStatusResponse, error) {
	got, err := s.o.ContainerStatus(r.ContainerId)
	return &cri.ContainerStatusResponse{Status: got}, err
}

func (s *runtimeServer) ReopenContainerLog(context.Context, *cri.ReopenContainerLogRequest) (*cri.ReopenContainerLogResponse, error) {
	return &cri.ReopenContainerLogResponse{}, nil
}

func (s *runtimeServer) ExecSync(ctx context.Context, r *cri.ExecSyncRequest) (*cri.ExecSyncResponse, error) {
	out, errors, err := s.o.c.ExecSync(ctx, r.ContainerId, r.Cmd, time.Duration(r.Timeout)*time.Second)
	code := int32(0)
	if exit, ok := err.(utilexec.CodeExitError); ok {
		code, err = int32(exit.Code), nil
	}
	return &cri.ExecSyncResponse{Stdout: out, Stderr: errors, ExitCode: code}, err
}

func (s *runtimeServer) ContainerStats(context.Context, *cri.ContainerStatsRequest) (*cri.ContainerStatsResponse, error) {
	return &cri.ContainerStatsResponse{}, nil
}

func (s *runtimeServer) ListContainerStats(context.Context, *cri.ListContainerStatsRequest) (*cri.ListContainerStatsResponse, error) {
	return &cri.ListContainerStatsResponse{}, nil
}

type imageServer struct{ cri.ImageServiceServer }

func (*imageServer) ListImages(context.Context, *cri.ListImagesRequest) (*cri.ListImagesResponse, error) {
	return &cri.ListImagesResponse{}, nil
}

func (*imageServer) ImageStatus(_ context.Context, r *cri.ImageStatusRequest) (*cri.ImageStatusResponse, error) {
	got, err := fakeImages{}.ImageStatus(r.Image)
	got.Size_ = 1 // the client takes one without a size for none
	return &cri.ImageStatusResponse{Image: got}, err
}

func (*imageServer) PullImage(_ context.Context, r *cri.PullImageRequest) (*cri.PullImageResponse, error) {
	return &cri.PullImageResponse{ImageRef: r.Image.GetImage()}, nil
}

func (*imageServer) ImageFsInfo(context.Context, *cri.ImageFsInfoRequest) (*cri.ImageFsInfoResponse, error) {
	return &cri.ImageFsInfoResponse{}, nil
}

// collectsSandbox says whether the collector of dead sandboxes is calling: its request came over the socket, so that
// its goroutine is another one, which waits for the answer.
func collectsSandbox() bool {
	dump := make([]byte, 1<<22)
	for _, stack := range strings.Split(string(dump[:runtime.Stack(dump, true)]), "\n\n") {
		if strings.Contains(stack, ".(*containerGC).") && strings.Contains(stack, ".StopPodSandbox(") {
			return true
		}
	}
	return false
}

// mostHours is how long a request may be given at the most: its limit goes over the socket in whole hours, rounded up,
// and the reader multiplies them without a look at what int64 holds.
const mostHours = (1<<63 - 1) / time.Hour * time.Hour

// outlastsTheCall refuses a grace with which StopContainer is over before it is made, so that nobody sees it.
func outlastsTheCall(grace int64) *problem {
	if call := 2*time.Minute + time.Duration(grace)*time.Second; call <= 0 || call > mostHours {
		return unsupported("a grace of %d s: the time limit of StopContainer goes around, and its request does not reach the runtime", grace)
	}
	return nil
}
