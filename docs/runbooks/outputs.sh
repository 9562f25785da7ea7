# For bash, to be sourced: . docs/runbooks/outputs.sh [STACK]
# Sets a variable for each output of the stack, such as $JokesTable, and defines the function insights.
# Without STACK, it is the stack of the previous call in this shell, at first JokeService, which is production.
stack=${1:-${stack:-JokeService}}
# Without this, a command for a stack that cannot be read would reach the previous one.
unset ${outputNames-}
outputs=$(aws cloudformation describe-stacks --stack-name "$stack" --output text \
  --query 'Stacks[0].Outputs[].[OutputKey,OutputValue]' | sed $'s/\t/=\'/; s/$/\'/')
outputNames=$(cut -d = -f 1 <<< "$outputs")
eval "$outputs"
echo "Stack: $stack. Deployed commit: ${Commit-none, because the stack cannot be read}."

# Runs a saved query over the last hour, or the given number of hours: insights 'What failed' 3. Prints one line for each result.
insights() {
  local definition query lines
  definition="queryDefinitions[?name=='$stack/$1'] | [0]"
  query=$(aws logs start-query --start-time $(($(date +%s) - ${2:-1} * 3600)) --end-time "$(date +%s)" \
    --log-group-names $(aws logs describe-query-definitions --query "$definition.logGroupNames" --output text) \
    --query-string "$(aws logs describe-query-definitions --query "$definition.queryString" --output text)" \
    --query queryId --output text) || return
  while aws logs get-query-results --query-id "$query" --query status --output text | grep -qE 'Running|Scheduled'
  do sleep 1; done
  lines=$(aws logs get-query-results --query-id "$query" --output text \
    --query "results[*][?field != '@ptr'].join('=', [field, value])")
  echo "${lines:-No results.}"
}
