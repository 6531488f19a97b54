#!/bin/sh
echo ""
