//go:build ge30

package main

import "syscall"

func apart() *syscall.SysProcAttr { return nil }

func hideVar(string) {}
