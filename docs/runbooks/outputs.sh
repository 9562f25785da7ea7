# For bash, to be sourced: . docs/runbooks/outputs.sh STACK
# Reads the outputs of a stack into variables, such as $JokesTable, sets $stack and $stage, and defines the functions below.
# Production is JokeService, the stage dev JokeService-dev. Without STACK, it is the stack of the previous call in this shell.

# A pager would wait for a key within each command.
export AWS_PAGER=

readStack() {
  local name=$1 outputs key value
  # Without this, a command after a failure would reach the previous stack.
  unset ${outputNames-} outputNames stack stage JOKE_STACK
  [ -n "$name" ] || refuse 'Name the stack: . docs/runbooks/outputs.sh JokeService (production), or JokeService-dev.' || return
  outputs=$(aws cloudformation describe-stacks --stack-name "$name" --output text \
    --query 'Stacks[0].Outputs[].[OutputKey,OutputValue]' 2>&1) || refuse "Cannot read the stack $name: ${outputs/$'\n'/}" || return
  while IFS=$'\t' read -r key value; do
    printf -v "$key" %s "$value" && outputNames+=" $key"
  done <<< "$outputs"
  [ -n "${JokesTable-}" ] || refuse "The stack $name has no output JokesTable. If it is a Joke Service, see first-deploy-failed.md." || return
  stack=$name stage=${name#*-}
  [ "$stage" != "$name" ] || stage=prod
  # The CDK apps refuse to work on another stack.
  export JOKE_STACK=$stack
  echo "Stack: $stack in $AWS_REGION. Deployed commit: $Commit."
}

refuse() {
  echo "$1" >&2
  return 1
}

# Fails with a sentence unless a stack is read, and the arguments, each followed by |, match a pattern:
# takes PATTERN USAGE "$@"
takes() {
  [ -n "${stack-}" ] || refuse 'Read a stack first: . docs/runbooks/outputs.sh JokeService' || return
  local pattern=$1 usage=$2
  shift 2
  [[ $(printf '%s|' "$@") =~ ^($pattern)$ ]] || refuse "Usage: $usage"
}

# Runs a saved query over the last hour, or the given number of hours. Prints one line for each result. Fails if the query
# does.
insights() {
  takes '[^|]+\|([1-9][0-9]*\|)?' "insights QUERY [HOURS], as in: insights 'What failed' 3" "$@" || return
  local definition="queryDefinitions[?name=='$stack/$1'] | [0]" groups text query status lines
  groups=$(aws logs describe-query-definitions --query "$definition.logGroupNames" --output text) || return
  [ "$groups" != None ] || refuse "The stack $stack has no saved query '$1'." || return
  text=$(aws logs describe-query-definitions --query "$definition.queryString" --output text) || return
  query=$(aws logs start-query --start-time $(($(date +%s) - ${2:-1} * 3600)) --end-time "$(date +%s)" \
    --log-group-names $groups --query-string "$text" --query queryId --output text) || return
  while status=$(aws logs get-query-results --query-id "$query" --query status --output text) || return
    [[ $status =~ Running|Scheduled ]]
  do sleep 1; done
  [ "$status" = Complete ] || refuse "The query ended as $status." || return
  lines=$(aws logs get-query-results --query-id "$query" --output text \
    --query "results[*][?field != '@ptr'].join('=', [field, value])") || return
  echo "${lines:-No results.}"
}

# Prints the ids of the jokes that an IP address added in the last hours. Where in the header x-forwarded-for it must be:
# last, or before-last for requests through CloudFront.
addedBy() {
  takes '(last|before-last)\|[0-9A-Fa-f.:]+\|[1-9][0-9]*\|' \
    'addedBy last|before-last ADDRESS HOURS, as in: addedBy last 203.0.113.7 24' "$@" || return
  local after= start events
  [ "$1" = last ] || after=', *[^ ,"\\]+'
  start=$(($(date +%s) - $3 * 3600))000
  events=$(aws logs filter-log-events --log-group-name "$CreateLogGroup" --start-time "$start" --output text \
    --query 'events[].[message]' --filter-pattern "{ \$.message.forwardedFor = \"*$2*\" }") || return
  sed -nE "/\"forwardedFor\": *\"(.*[ ,])?${2//./\\.}$after\"/ s/.*\"added\": *\"([^\"]+)\".*/\1/p" <<< "$events" |
    grep . || refuse "Nothing was added by $2 ($1) in the last $3 hours."
}

# Prints the names of the stack's resources of a type.
resources() {
  takes '[A-Za-z:0-9]+\|' 'resources TYPE, as in: resources AWS::Lambda::Version' "$@" || return
  aws cloudformation list-stack-resources --stack-name "$stack" --output text \
    --query "StackResourceSummaries[?ResourceType=='$1'].[PhysicalResourceId]"
}

# Prints the ids of CodeDeploy's deployments of this stack that have not ended.
deployments() {
  takes '\|' deployments "$@" || return
  local application group
  application=$(resources AWS::CodeDeploy::Application) || return
  for group in $(resources AWS::CodeDeploy::DeploymentGroup); do
    aws deploy list-deployments --application-name "$application" --deployment-group-name "$group" --output text \
      --include-only-statuses Created Queued InProgress Ready --query 'deployments[].[@]'
  done
}

# Lets CodeDeploy roll back when an alarm fires, or not.
heedAlarms() {
  takes '(true|false)\|' 'heedAlarms true|false' "$@" || return
  local application group alarms
  application=$(resources AWS::CodeDeploy::Application) || return
  for group in $(resources AWS::CodeDeploy::DeploymentGroup); do
    alarms=$(aws deploy batch-get-deployment-groups --application-name "$application" --deployment-group-names "$group" \
      --query "merge(deploymentGroupsInfo[0].alarmConfiguration, {enabled: \`$1\`})" --output json) || return
    aws deploy update-deployment-group --application-name "$application" --current-deployment-group-name "$group" \
      --alarm-configuration "$alarms" > /dev/null || return
  done
  echo "CodeDeploy heeds alarms: $1"
}

# Sets the throttle of a route, in requests a second, within seconds.
throttle() {
  takes '[A-Z]+ /[^|]+\|([1-9][0-9]*(\.[0-9]+)?|0\.0*[1-9][0-9]*)\|' \
    "throttle ROUTE RATE, above 0, as in: throttle 'GET /joke' 20" "$@" || return
  local found burst=$((2 * 10#0${2%.*}))
  found=$(getStage "contains(keys(RouteSettings), '$1')" text) || return
  [ "$found" = True ] || refuse "There is no route $1." || return
  local limits="\"ThrottlingRateLimit\": $2, \"ThrottlingBurstLimit\": $((burst > 0 ? burst : 1))"
  setThrottles "$(getStage "merge(RouteSettings, \`{\"$1\": {$limits, \"DetailedMetricsEnabled\": true}}\`)" json)"
}

# Sets all that the runbooks change by hand to what the stack's template says.
resetAll() {
  takes '\|' resetAll "$@" || return
  resetThrottles && resetFunctions && resetTables && heedAlarms true || return
  [ "$stage" != prod ] || aws cloudformation update-termination-protection --stack-name "$stack" \
    --enable-termination-protection > /dev/null
}

resetThrottles() {
  takes '\|' resetThrottles "$@" || return
  setThrottles "$(inTemplate "Resources.* | [?Type=='AWS::ApiGatewayV2::Stage'] | [0].Properties.RouteSettings" json)"
}

# Starts functions that were stopped.
resetFunctions() {
  takes '\|' resetFunctions "$@" || return
  local name concurrency
  for name in CreateFunction ListFunction ThumbsUpFunction; do
    concurrency=$(inTemplate "Resources.$(inTemplate "Outputs.$name.Value.Ref").Properties.ReservedConcurrentExecutions") ||
      return
    if [ "$concurrency" = None ]
    then aws lambda delete-function-concurrency --function-name "${!name}"
    else aws lambda put-function-concurrency --function-name "${!name}" --reserved-concurrent-executions "$concurrency"
    fi > /dev/null || return
    echo "$name: reserved concurrency $concurrency"
  done
}

# Stops new jokes and upvotes, and waits until those that are on their way are done: as long as a function may take.
stopWrites() {
  takes '\|' stopWrites "$@" || return
  local name
  for name in "$CreateFunction" "$ThumbsUpFunction"; do
    aws lambda put-function-concurrency --function-name "$name" --reserved-concurrent-executions 0 > /dev/null || return
  done
  sleep 10
  echo 'Nothing is written any more. To go on: resetFunctions'
}

# Prints the ids of the jokes in another table that the stack lacks.
missing() {
  takes '[A-Za-z0-9_.-]+\|' 'missing TABLE' "$@" || return
  local wanted present
  wanted=$(idsIn "$1") && present=$(idsIn "$JokesTable") || return
  comm -23 <(sort <<< "$wanted") <(sort <<< "$present")
}

# Waits until a table can be used, at most twelve hours. Fails at once with 130 after Ctrl+C, and with 255 if there is no
# such table.
waitForTable() {
  takes '[A-Za-z0-9_.-]+\|' 'waitForTable TABLE' "$@" || return
  local end=$((SECONDS + 43200)) unknown=$((SECONDS + 60)) state status
  while state=$(aws dynamodb describe-table --table-name "$1" --query Table.TableStatus --output text 2>&1); status=$?
    [ "$state" != ACTIVE ]
  do
    # After Ctrl+C, the AWS CLI ends by itself, so bash would go on.
    [ $status != 130 ] || return $status
    # For some seconds, a new table is unknown.
    ((status == 0 || SECONDS < unknown)) || refuse "Cannot wait for $1: ${state/$'\n'/}" || return 255
    ((SECONDS < end)) || refuse "After twelve hours, $1 is still $state." || return
    sleep 10 || return
  done
}

# Tries the recovery of wrong-data.md: deletes a joke, restores it from a backup, and proves that it is back.
drill() {
  takes '\|' drill "$@" || return
  [ "$stage" != prod ] || refuse 'The drill deletes a joke: try it on another stage, such as JokeService-staging.' || return
  local table=$stack-drill id before
  echo "If the drill ends early, this takes it back: bin/jokes restore --from $table --missing --stack $stack
and then: aws dynamodb delete-table --table-name $table"
  aws dynamodb restore-table-to-point-in-time --source-table-name "$JokesTable" --target-table-name "$table" \
    --use-latest-restorable-time > /dev/null || return
  waitForTable "$table" || return
  id=$(idsIn "$table" --filter-expression 'attribute_exists(words)' | head -1)
  if [ -z "$id" ]; then
    aws dynamodb delete-table --table-name "$table" > /dev/null
    refuse 'The backup holds no joke: add one, and try again in ten minutes.' || return
  fi
  before=$(jokeIn "$table" "$id") &&
    aws dynamodb delete-item --table-name "$JokesTable" --key "{\"id\":{\"S\":\"$id\"}}" &&
    bin/jokes restore --from "$table" --missing --stack "$stack" || return
  [ "$(jokeIn "$JokesTable" "$id")" = "$before" ] || refuse "The joke $id is not as it was: $before" || return
  aws dynamodb delete-table --table-name "$table" > /dev/null || return
  echo "The joke $id was deleted, and is back from the backup as it was."
}

# Sets what a restored table lacks.
resetTables() {
  takes '\|' resetTables "$@" || return
  local name table properties
  for name in JokesTable WordsTable; do
    table=${!name}
    properties=Resources.$(inTemplate "Outputs.$name.Value.Ref").Properties || return
    aws dynamodb update-continuous-backups --table-name "$table" \
      --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true > /dev/null || return
    [ "$(inTemplate "$properties.DeletionProtectionEnabled")" != True ] ||
      aws dynamodb update-table --table-name "$table" --deletion-protection-enabled > /dev/null || return
    echo "$name: as in the template"
  done
}

idsIn() {
  aws dynamodb scan --table-name "$1" --projection-expression id --query 'Items[].[id.S]' --output text "${@:2}"
}

jokeIn() {
  aws dynamodb get-item --table-name "$1" --key "{\"id\":{\"S\":\"$2\"}}" --consistent-read --output text \
    --query 'Item.[joke.S,punchline.S,category.S,thumbsUp.N,dateAdded.S]'
}

inTemplate() {
  aws cloudformation get-template --stack-name "$stack" --query "TemplateBody.$1" --output "${2:-text}"
}

getStage() {
  aws apigatewayv2 get-stage --api-id "$ApiId" --stage-name '$default' --query "$1" --output "$2"
}

setThrottles() {
  [ -n "$1" ] || return
  aws apigatewayv2 update-stage --api-id "$ApiId" --stage-name '$default' --route-settings "$1" --query RouteSettings \
    --output json
}

readStack "${1:-${JOKE_STACK-}}"
