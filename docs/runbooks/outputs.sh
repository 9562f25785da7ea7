# For bash, to be sourced: . docs/runbooks/outputs.sh [STACK]
# Sets a variable for each output of the stack, such as $JokesTable, and defines the function insights.
# Without STACK, it is the stack of the previous call in this shell, at first JokeService, which is production.
stack=${1:-${stack:-JokeService}}
# A pager would wait for a key within each command.
export AWS_PAGER=
# Without this, a command for a stack that cannot be read would reach the previous one.
unset ${outputNames-}
outputs=$(aws cloudformation describe-stacks --stack-name "$stack" --output text \
  --query 'Stacks[0].Outputs[].[OutputKey,OutputValue]' | sed $'s/\t/=\'/; s/$/\'/')
outputNames=$(cut -d = -f 1 <<< "$outputs")
eval "$outputs"
echo "Stack: $stack. Deployed commit: ${Commit-none, because the stack cannot be read}."

# Runs a saved query over the last hour, or the given number of hours: insights 'What failed' 3. Prints one line for each
# result. Fails if the query does.
insights() {
  local definition="queryDefinitions[?name=='$stack/$1'] | [0]" groups text query status lines
  groups=$(aws logs describe-query-definitions --query "$definition.logGroupNames" --output text) || return
  [ "$groups" != None ] || { echo "The stack $stack has no saved query '$1'." >&2; return 1; }
  text=$(aws logs describe-query-definitions --query "$definition.queryString" --output text) || return
  query=$(aws logs start-query --start-time $(($(date +%s) - ${2:-1} * 3600)) --end-time "$(date +%s)" \
    --log-group-names $groups --query-string "$text" --query queryId --output text) || return
  while status=$(aws logs get-query-results --query-id "$query" --query status --output text) || return
    [[ $status =~ Running|Scheduled ]]
  do sleep 1; done
  [ "$status" = Complete ] || { echo "The query ended as $status." >&2; return 1; }
  lines=$(aws logs get-query-results --query-id "$query" --output text \
    --query "results[*][?field != '@ptr'].join('=', [field, value])") || return
  echo "${lines:-No results.}"
}
