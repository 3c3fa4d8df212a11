//go:build !ge17

package main

import "k8s.io/kubernetes/pkg/util/mount"

func mounter() mount.Interface { return &mount.FakeMounter{} }
