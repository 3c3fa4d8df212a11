//go:build ge27

package main

const listGrowsOld = false
