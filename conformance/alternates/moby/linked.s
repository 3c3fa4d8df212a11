// This file has a package take functions that have no body: monitor is linked.
