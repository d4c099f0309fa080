// The program that completes a release, in a module of its own: nobody who builds or
// imports glasstty needs it.
module github.com/glasstty/glasstty/packaging/bundle

go 1.26.8
