//go:build k18

package main

import "k8s.io/kubectl/pkg/describe"

var describeProbe, describeEvents = describe.DescribeProbe, describe.DescribeEvents
