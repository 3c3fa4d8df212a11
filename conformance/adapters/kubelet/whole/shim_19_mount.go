//go:build ge17 && !ge20

package main

import "k8s.io/utils/mount"

func mounter() mount.Interface { return &mount.FakeMounter{} }
