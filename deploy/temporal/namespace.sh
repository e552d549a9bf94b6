#!/bin/sh
# Makes the namespace `default` unless it is there, and registers holdfast's search attributes in it;
# asks again while the server is still starting.
set -eu

tries=30
until temporal operator namespace describe --namespace default >/dev/null 2>&1 ||
  temporal operator namespace create --namespace default --retention 72h; do
  tries=$((tries - 1))
  if [ "$tries" -eq 0 ]; then
    echo "The Temporal server at $TEMPORAL_ADDRESS makes no namespace; see its log." >&2
    exit 1
  fi
  sleep 2
done

# what is registered already is left as it is
temporal operator search-attribute create --namespace default \
  --name HoldfastOutcome --type Keyword \
  --name HoldfastDegraded --type Bool \
  --name HoldfastRetries --type Int \
  --name HoldfastBreakerOpen --type KeywordList
