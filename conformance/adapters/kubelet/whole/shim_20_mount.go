//go:build ge20

package main

import "k8s.io/mount-utils"

func mounter() mount.Interface { return &mount.FakeMounter{} }
