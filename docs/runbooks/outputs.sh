# For bash, to be sourced: . docs/runbooks/outputs.sh [STACK]
# Sets a variable for each output of the stack, such as $JokesTable, and defines the functions below.
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

# Prints the ids of the jokes that an IP address added in the last hours: addedBy last 203.0.113.7 24. Where in the header
# x-forwarded-for it must be: last, or before-last for requests through CloudFront.
addedBy() {
  local after start
  case $1 in
    last) after= ;;
    before-last) after=', *[^ ,"\\]+' ;;
    *) echo "Say last or before-last, the address and the hours." >&2; return 1 ;;
  esac
  start=$(date -d "${3:?hours} hours ago" +%s000) || return
  aws logs filter-log-events --log-group-name "$CreateLogGroup" --start-time "$start" --query 'events[].[message]' \
    --filter-pattern "{ \$.message.forwardedFor = \"*$2*\" }" --output text |
    sed -nE "/\"forwardedFor\": *\"(.*[ ,])?${2//./\\.}$after\"/ s/.*\"added\": *\"([^\"]+)\".*/\1/p"
}

# Prints the names of the stack's resources of a type: resources AWS::Lambda::Version
resources() {
  aws cloudformation list-stack-resources --stack-name "$stack" --output text \
    --query "StackResourceSummaries[?ResourceType=='$1'].[PhysicalResourceId]"
}

# Prints the ids of CodeDeploy's deployments of this stack that have not ended.
deployments() {
  local application group
  application=$(resources AWS::CodeDeploy::Application) || return
  for group in $(resources AWS::CodeDeploy::DeploymentGroup); do
    aws deploy list-deployments --application-name "$application" --deployment-group-name "$group" --output text \
      --include-only-statuses Created Queued InProgress Ready --query 'deployments[].[@]'
  done
}

# Lets CodeDeploy roll back when an alarm fires, or not: heedAlarms false
heedAlarms() {
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

# Sets the throttle of a route, in requests a second, within seconds: throttle 'GET /joke' 50
throttle() {
  local burst=$((2 * 10#0${2%.*}))
  local limits="\"ThrottlingRateLimit\": $2, \"ThrottlingBurstLimit\": $((burst > 0 ? burst : 1))"
  setThrottles "$(aws apigatewayv2 get-stage --api-id "$ApiId" --stage-name '$default' --output json \
    --query "merge(RouteSettings, \`{\"$1\": {$limits, \"DetailedMetricsEnabled\": true}}\`)")"
}

# Sets all that the runbooks change by hand to what the stack's template says.
resetAll() {
  resetThrottles && resetFunctions && resetTables && heedAlarms true || return
  [ "$stack" != JokeService ] || aws cloudformation update-termination-protection --stack-name "$stack" \
    --enable-termination-protection > /dev/null
}

resetThrottles() {
  setThrottles "$(inTemplate "Resources.* | [?Type=='AWS::ApiGatewayV2::Stage'] | [0].Properties.RouteSettings" json)"
}

# Starts functions that were stopped.
resetFunctions() {
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

# Sets what a restored table lacks.
resetTables() {
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

inTemplate() {
  aws cloudformation get-template --stack-name "$stack" --query "TemplateBody.$1" --output "${2:-text}"
}

setThrottles() {
  [ -n "$1" ] || return
  aws apigatewayv2 update-stage --api-id "$ApiId" --stage-name '$default' --route-settings "$1" --query RouteSettings \
    --output json
}
