[ -n "${BASH_VERSION-}" ] || { echo 'These commands need bash. Type bash, then repeat this line.' >&2; return 1; }
# To be sourced: . bin/stack.sh STACK
# Sets a variable for each output of the stack, such as $JokesTable, and $stack and $stage, and defines these functions.
# Without STACK, it reads the stack of the previous call in this shell.
export AWS_PAGER= # A pager would wait for a key in each command.

readStack() {
  local name=$1 outputs key value
  # A command after a failure must not reach the previous stack.
  unset ${outputNames-} outputNames stack stage account JOKE_STACK JOKE_ACCOUNT JOKE_REGION
  [ -n "$name" ] || refuse 'Name the stack: . bin/stack.sh JokeService (production), or JokeService-dev.' || return
  [[ $(aws --version 2>&1) == aws-cli/[2-9]* ]] ||
    refuse 'The command aws of AWS CLI 2 is missing: install it, see docs/deploying.md.' || return
  stack=$name stage=${name#*-}
  [ "$stage" != "$name" ] || stage=prod
  export JOKE_STACK=$stack # The CDK app refuses to work on another one, or in another account or region.
  outputs=$(aws cloudformation describe-stacks --stack-name "$name" --output text --query "Stacks[0].[
    [['StackArn', StackId], ['StackState', StackStatus]], (Outputs || \`[]\`)[].[OutputKey, OutputValue]][]" 2>&1) ||
    refuse "Cannot read the stack $name: ${outputs/$'\n'/}" || return
  while IFS=$'\t' read -r key value; do
    printf -v "$key" %s "$value" && outputNames+=" $key"
  done <<< "$outputs"
  # Commands use the region that was read, even if a profile names it.
  IFS=: read -r _ _ _ AWS_REGION account _ <<< "$StackArn"
  export AWS_REGION JOKE_REGION=$AWS_REGION JOKE_ACCOUNT=$account
  echo "Stack: $stack in $AWS_REGION, account $account, stage $stage. $StackState. Deployed commit: ${Commit-none}."
  [ -n "${JokesTable-}" ] || refuse "It has no output JokesTable, because its first deploy failed: deploy.md."
}
refuse() { echo "$1" >&2; return 1; }
setThrottles() { aws apigatewayv2 update-stage --api-id "$ApiId" --stage-name '$default' --route-settings "$1" --query RouteSettings; }
inTemplate() { aws cloudformation get-template --stack-name "$stack" --query "TemplateBody.$1" --output "${2:-text}"; }
needsStack() { [ -n "${JokesTable-}" ] || refuse 'Read a stack first: . bin/stack.sh JokeService'; }

# insights QUERY [HOURS]: runs a saved query over the last hours, by default one. Prints a line for each result.
insights() {
  needsStack || return
  local found query status now
  now=$(date +%s)
  found=$(aws logs describe-query-definitions --output text \
    --query "queryDefinitions[?name=='$stack/$1'].[join(' ', logGroupNames), queryString]") || return
  [ -n "$found" ] || refuse "The stack $stack has no saved query '$1'." || return
  query=$(aws logs start-query --start-time $((now - ${2:-1} * 3600)) --end-time "$now" --query queryId \
    --log-group-names ${found%%$'\t'*} --query-string "${found#*$'\t'}" --output text) || return
  while status=$(aws logs get-query-results --query-id "$query" --query status --output text) || return
    [[ $status =~ Running|Scheduled ]]
  do sleep 1; done
  [ "$status" = Complete ] || refuse "The query ended as $status." || return
  aws logs get-query-results --query-id "$query" --output text \
    --query "(results[*][?field != '@ptr'].join('=', [field, value])) || ['No results.']"
}

# addedBy last|before-last ADDRESS [HOURS]: prints the ids of the jokes that an IP address added, by default as far back as
# the log goes. In the header x-forwarded-for, the address must be last, or before the last one behind a CDN.
addedBy() {
  needsStack || return
  local after= events since=0
  [ "$1" = last ] || after=', *[^ ,"\\]+'
  [ -z "${3-}" ] || since=$(($(date +%s) - $3 * 3600))000
  events=$(aws logs filter-log-events --log-group-name "$CreateLogGroup" --start-time "$since" \
    --filter-pattern "{ \$.message.forwardedFor = \"*$2*\" }" --query 'events[].[message]' --output text) || return
  sed -nE "/\"forwardedFor\": *\"(([^\"\\\\]|\\\\.)*[ ,])?${2//./\\.}$after\"/ s/.*\"added\": *\"([^\"]+)\".*/\1/p" <<< "$events" |
    grep . || refuse "Nothing was added by $2 ($1)${3:+ in the last $3 hours}."
}

# throttle ROUTE RATE: sets the throttle of a route, in requests a second, above 0. HEAD gets that of GET.
throttle() {
  local burst=$((2 * 10#0${2%.*})) limits routes
  limits="{\"ThrottlingRateLimit\": $2, \"ThrottlingBurstLimit\": $((burst > 0 ? burst : 1)), \"DetailedMetricsEnabled\": false}"
  routes="\"$1\": $limits"
  [[ $1 != 'GET '* ]] || routes+=", \"HEAD ${1#GET }\": $limits"
  needsStack && setThrottles "$(aws apigatewayv2 get-stage --api-id "$ApiId" --stage-name '$default' --output json \
    --query "merge(RouteSettings, \`{$routes}\`)")"
}

# Sets all throttles to the rates of the template.
resetThrottles() {
  needsStack && setThrottles "$(inTemplate "Resources.* | [?Type=='AWS::ApiGatewayV2::Stage'] | [0].Properties.RouteSettings" json)"
}

stopFunctions() {
  local name
  needsStack && for name; do
    aws lambda put-function-concurrency --function-name "${!name}" --reserved-concurrent-executions 0 > /dev/null || return
  done
}

# Stops new jokes and upvotes, and waits until those under way have ended, which takes as long as a function may run.
stopWrites() {
  stopFunctions CreateFunction ThumbsUpFunction && sleep 10 && echo 'Nothing is written any more. To go on: resetFunctions'
}

# Stops everything that costs money by request: no function runs, and each route accepts one request in ten seconds.
stopAll() {
  local throttles
  stopFunctions CreateFunction ListFunction ThumbsUpFunction PageFunction &&
    throttles=$(aws apigatewayv2 get-stage --api-id "$ApiId" --stage-name '$default' --query RouteSettings --output json) &&
    setThrottles "$(sed -E 's/(RateLimit": )[0-9.]+/\10.1/; s/(BurstLimit": )[0-9]+/\11/' <<< "$throttles")" > /dev/null &&
    echo 'Everything is stopped. To go on: resetFunctions; resetThrottles'
}

# Lets all functions run again, as the template says.
resetFunctions() {
  local name concurrency
  needsStack && for name in CreateFunction ListFunction ThumbsUpFunction PageFunction; do
    concurrency=$(inTemplate "Resources.$(inTemplate "Outputs.$name.Value.Ref").Properties.ReservedConcurrentExecutions") || return
    set -- delete-function-concurrency
    [ "$concurrency" = None ] || set -- put-function-concurrency --reserved-concurrent-executions "$concurrency"
    aws lambda "$@" --function-name "${!name}" > /dev/null || return
    echo "$name: reserved concurrency $concurrency"
  done
}

# waitForTable TABLE: waits until a table can be used. Fails if there is no such table, and after Ctrl+C.
waitForTable() {
  local state status failures=0
  while state=$(aws dynamodb describe-table --table-name "$1" --query Table.TableStatus --output text 2>&1); status=$?
    [ "$state" != ACTIVE ]
  do
    # After Ctrl+C, the AWS CLI ends by itself, so bash would go on.
    [ $status != 130 ] || return $status
    # For some seconds, a new table is unknown.
    ((status == 0 || ++failures < 6)) || refuse "Cannot wait for $1: ${state/$'\n'/}" || return
    sleep 10 || return
  done
}

# Sets what a restored table lacks: recovery, and in production deletion protection.
resetTable() {
  needsStack || return
  aws dynamodb update-continuous-backups --table-name "$JokesTable" \
    --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true > /dev/null || return
  [ "$stage" != prod ] || aws dynamodb update-table --table-name "$JokesTable" --deletion-protection-enabled > /dev/null || return
  echo "$JokesTable: protected"
}

usedTables() { aws cloudformation describe-stacks --output text --query "Stacks[].Outputs[] | [?OutputKey=='JokesTable'].[OutputValue]"; }

# Prints the tables of jokes in the region: name, state, number of items at most six hours ago, creation, and whether one of
# the stacks uses it.
listTables() {
  local used names name row
  used=$(usedTables) || return
  names=$(aws dynamodb list-tables --output text \
    --query "TableNames[?starts_with(@, 'JokeService') || ends_with(@, 'ed-jokes')].[@]") || return
  for name in $names; do
    row=$(aws dynamodb describe-table --table-name "$name" --output text \
      --query 'Table.[TableName, TableStatus, ItemCount, CreationDateTime]') || return
    grep -qxF "$name" <<< "$used" && echo "$row  in use" || echo "$row"
  done
}

# deleteTable TABLE: deletes a copy that a runbook made, or an old table. Refuses a table that a stack uses.
deleteTable() {
  local used
  [[ $1 =~ ^((restored|moved)-jokes$|JokeService) ]] || refuse "$1 is no table of this service." || return
  used=$(usedTables) || return
  ! grep -qxF "$1" <<< "$used" || refuse "A stack uses $1, so it is not deleted." || return
  # If this fails, DynamoDB refuses to delete a protected table.
  aws dynamodb update-table --table-name "$1" --no-deletion-protection-enabled > /dev/null
  aws dynamodb delete-table --table-name "$1" --query TableDescription.TableStatus
}

# deleteStack REGION ACCOUNT: deletes the stack. Refuses one that is elsewhere, or that somebody may be using.
deleteStack() {
  local stopped
  needsStack || return
  [ "$AWS_REGION $account" = "$1 $2" ] || refuse "$stack is in $AWS_REGION, account $account, so it is not deleted." || return
  stopped=$(aws lambda get-function-concurrency --function-name "$CreateFunction" --output text \
    --query ReservedConcurrentExecutions) || return
  [ "$stopped" = 0 ] || refuse "$stack in $AWS_REGION accepts new jokes, so it is not deleted." || return
  aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name "$StackArn" > /dev/null &&
    aws cloudformation delete-stack --stack-name "$StackArn" &&
    aws cloudformation wait stack-delete-complete --stack-name "$StackArn" && echo "$stack in $AWS_REGION is deleted."
}

readStack "${1:-${JOKE_STACK-}}"
