//go:build !ge18

package main

func forgetCollectors() {}
