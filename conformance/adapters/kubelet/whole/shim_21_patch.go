//go:build ge21

package main

func (c *cluster) patchAsAServer() {}
