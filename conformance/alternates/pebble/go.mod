module alternate

go 1.26.0

require github.com/canonical/pebble v1.32.0
