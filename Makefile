# SPDX-License-Identifier: GPL-2.0
#
# Modules for one kernel, tools, tests. `make help` lists the targets.

LB_VERSION := 0.1
export LB_VERSION

top := $(CURDIR)
# The headers to build for: KDIR, the running kernel's, the newest installed.
KDIR ?= $(firstword $(wildcard /lib/modules/$(shell uname -r)/build) \
	$(shell ls -d /lib/modules/*/build 2>/dev/null | sort -rV))
KERNELS ?= 6.1 6.12

# The release that headers are of, and the directory its modules are built in.
krel = $(shell sed -n 's/^\#define UTS_RELEASE "\(.*\)"/\1/p' $(1)/include/generated/utsrelease.h)

.PHONY: all modules tools kernels unit demo check lint load unload install dkms \
	clean help

all: modules tools

##@ Build

modules: ## modules for KDIR, into build/<release>
ifeq ($(KDIR),)
	@echo "No kernel headers found: give KDIR=..., or install linux-headers-$$(uname -r)" >&2
	@exit 1
endif
	@tools/build-modules $(KDIR)

kernels: ## modules for each of KERNELS, whose headers are fetched
	@set -e; for k in $(KERNELS); do \
		tools/build-modules "$$(tools/vm/kernel --headers $$k)"; \
	done

tools: ## lbctl, into build/bin
	@$(MAKE) -s -C tools/lbctl O=$(top)/build/bin

unit: ## unit tests of net/core, into build/unit
	@$(MAKE) -s -C selftests/unit O=$(top)/build/unit

##@ Run

demo: ## two hosts, four paths, in a virtual machine: the main job
	@tools/demo/demo

check: ## all tests: unit, then selftests in a virtual machine on each of KERNELS
	@tools/deps build vm test lint
	@$(MAKE) -s unit tools kernels
	@tools/check $(foreach k,$(KERNELS),--kernel $(k)) $(TESTS)

lint: ## style, static checks, generated files up to date
	@tools/lint

##@ Install

PREFIX ?= /usr/local
INSTALL_FILE = install -D -m 644

install: modules tools ## module for KDIR, lbctl, manual, completion; DESTDIR and PREFIX as usual
	$(INSTALL_FILE) build/$(call krel,$(KDIR))/lb.ko \
		$(DESTDIR)/lib/modules/$(call krel,$(KDIR))/updates/lb.ko
	install -D -m 755 build/bin/lbctl $(DESTDIR)$(PREFIX)/sbin/lbctl
	$(INSTALL_FILE) Documentation/man/lbctl.8 \
		$(DESTDIR)$(PREFIX)/share/man/man8/lbctl.8
	$(INSTALL_FILE) tools/lbctl/completion/lbctl \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/lbctl
	[ -n "$(DESTDIR)" ] || depmod $(call krel,$(KDIR))

dkms: ## hand the module to DKMS, which builds it for each kernel
	rm -rf /usr/src/lb-$(LB_VERSION)
	mkdir -p /usr/src/lb-$(LB_VERSION)
	cp -r Kbuild Makefile dkms.conf lb.config include net tools /usr/src/lb-$(LB_VERSION)/
	dkms add -m lb -v $(LB_VERSION)
	dkms build -m lb -v $(LB_VERSION)
	dkms install -m lb -v $(LB_VERSION)

load: modules ## load the module into this host's kernel
	modprobe -a udp_tunnel ip6_udp_tunnel
	insmod build/$(call krel,$(KDIR))/lb.ko

unload: ## take it out again
	rmmod lb

clean: ## remove what was built
	rm -rf build

help: ## this list
	@awk -F ':.*## ' '/^##@/ { print substr($$0, 5) ":" } \
		/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile
