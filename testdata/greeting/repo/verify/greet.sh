#!/bin/sh
said=$(sh src/greet.sh Ada 2>/dev/null) || said=""
printf '{"schema_version":"long-task-check-result-v2","execution_status":"completed","observations":{"greeting":"%s"}}\n' "$said"
