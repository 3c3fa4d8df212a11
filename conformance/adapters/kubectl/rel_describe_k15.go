//go:build !k16

package main

import describe "k8s.io/kubernetes/pkg/kubectl/describe/versioned"

var describeProbe, describeEvents = describe.DescribeProbe, describe.DescribeEvents
