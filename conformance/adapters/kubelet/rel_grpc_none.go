//go:build !k23

package main

import "k8s.io/kubernetes/pkg/probe"

func (s *shot) grpc() attempt { return attempt{probe.Unknown, "", errMissingHandler} }
