//go:build !ge30

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Up to 1.29 the logs of pods are in /var/log/pods, for every kubelet of a machine, and the collector of dead pods' logs
// removes what it does not know there. So a child has a /var of its own.

// apart makes the child's file systems its own.
func apart() *syscall.SysProcAttr {
	if os.Geteuid() == 0 {
		return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	}
	return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
}

// hideVar puts a folder of the case's in the place of /var.
func hideVar(root string) {
	ours := filepath.Join(root, "var")
	if strings.HasPrefix(root, "/var/") {
		fatal("the temporary folder %s is in /var, which this kubelet must not see: set TMPDIR", root)
	}
	if err := os.MkdirAll(ours, 0o700); err != nil {
		fatal("%v", err)
	}
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		fatal("/var cannot be hidden: %v", err)
	}
	if err := syscall.Mount(ours, "/var", "", syscall.MS_BIND, ""); err != nil {
		fatal("/var cannot be hidden: %v", err)
	}
}
