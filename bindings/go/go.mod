module harp

go 1.19
