/** The stack of the page. */
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { App } from 'aws-cdk-lib'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { afterAll, describe, expect, it, vi } from 'vitest'
import cdk from '../../cdk.json' with { type: 'json' }
import { JokePage } from '../../infra/page/jokePage.ts'
import { readSettings } from '../../infra/settings.ts'
import { respondPage } from '../../shared/http.ts'
import { MAX_IDS, parseListing } from '../../shared/listing.ts'
import { buildSite, SECURITY_HEADERS } from '../../web/build.ts'
import { sectionsOf } from '../support/markdown.ts'
import { addRulePacks, checkRules } from '../support/nag.ts'
import { propertiesOf } from '../support/templates.ts'

const outdir = mkdtempSync(join(tmpdir(), 'page-'))
afterAll(() => rmSync(outdir, { recursive: true }))

const site = await buildSite()
const { stack } = makeStack('plain')
const template = Template.fromStack(stack)
const [distribution] = propertiesOf(template, 'AWS::CloudFront::Distribution')
const { DefaultCacheBehavior: files, CacheBehaviors, Origins, ...config } = distribution?.DistributionConfig ?? {}
const [listings, upvotes] = CacheBehaviors
const [firewall] = propertiesOf(template, 'AWS::WAFv2::WebACL')

interface Rule {
  Action?: { Block: { CustomResponse: object } }
  Statement: { ManagedRuleGroupStatement?: { Name: string; RuleActionOverrides: object[] } }
}

/** The rules of AWS's groups, from its documentation: https://docs.aws.amazon.com/waf/latest/developerguide/aws-managed-rule-groups-list.html */
const DOCUMENTED_RULES: Record<string, string[]> = {
  AWSManagedRulesAmazonIpReputationList: [
    'AWSManagedIPReputationList',
    'AWSManagedReconnaissanceList',
    'AWSManagedIPDDoSList',
  ],
  AWSManagedRulesKnownBadInputsRuleSet: [
    'JavaDeserializationRCE_HEADER',
    'JavaDeserializationRCE_BODY',
    'JavaDeserializationRCE_URIPATH',
    'JavaDeserializationRCE_QUERYSTRING',
    'Host_localhost_HEADER',
    'PROPFIND_METHOD',
    'ExploitablePaths_URIPATH',
    'Log4JRCE_HEADER',
    'Log4JRCE_QUERYSTRING',
    'Log4JRCE_BODY',
    'Log4JRCE_URIPATH',
    'ReactJSRCE_BODY',
  ],
}

describe('the files', () => {
  it('are in a bucket that only the distribution reads', () => {
    template.allResourcesProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
    })
    template.hasResourceProperties('AWS::S3::BucketPolicy', {
      Bucket: { Ref: Match.stringLikeRegexp('^Files') },
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
          Match.objectLike({
            Action: 's3:GetObject',
            Principal: { Service: 'cloudfront.amazonaws.com' },
            Condition: { StringEquals: { 'AWS:SourceArn': Match.anyValue() } },
          }),
        ]),
      },
    })
    template.hasResourceProperties('AWS::CloudFront::OriginAccessControl', {
      OriginAccessControlConfig: { OriginAccessControlOriginType: 's3', SigningBehavior: 'always' },
    })
  })

  it('are served compressed, over HTTPS, with the same headers as locally', () => {
    expect(files).toMatchObject({ Compress: true, ViewerProtocolPolicy: 'redirect-to-https' })
    template.hasResourceProperties('AWS::CloudFront::ResponseHeadersPolicy', {
      ResponseHeadersPolicyConfig: {
        SecurityHeadersConfig: {
          ContentSecurityPolicy: {
            ContentSecurityPolicy: SECURITY_HEADERS['content-security-policy'],
            Override: true,
          },
          ReferrerPolicy: { ReferrerPolicy: SECURITY_HEADERS['referrer-policy'], Override: true },
          ContentTypeOptions: { Override: true },
          FrameOptions: { FrameOption: 'DENY', Override: true },
          StrictTransportSecurity: Match.objectLike({ Override: true }),
        },
      },
    })
  })

  it('are all at the paths where the distribution looks for them', () => {
    const run = edgeFunction('FindDocs')
    const uploads = readdirSync(join(outdir, 'plain'), { recursive: true, encoding: 'utf8' }).map((file) =>
      file.replace(/^asset\.\w+/, ''),
    )
    for (const path of [...site.keys(), '/docs/']) {
      const { uri } = run({ request: { uri: path === '/' ? `/${config.DefaultRootObject}` : path } })
      expect(uploads).toContain(uri)
    }
  })
})

it('links to the contact in the settings', async () => {
  vi.stubEnv('CDK_OUTDIR', join(outdir, 'contact'))
  vi.stubEnv('CDK_CONTEXT_JSON', JSON.stringify({ stages: { prod: { contact: 'jokes@example.com' } } }))
  await import('../../infra/pageApp.ts')
  vi.unstubAllEnvs()
  expect(pagesIn('contact').some((page) => page.includes('href="mailto:jokes@example.com"'))).toBe(true)
  expect(pagesIn('plain').some((page) => page.includes('Report a joke'))).toBe(false)
})

describe('the API', () => {
  it('is that of the service, under the domain of the page', () => {
    const [, api] = Origins
    expect(JSON.stringify(api.DomainName)).toContain(
      JSON.stringify({ StackName: 'JokeService', Region: 'eu-west-1', OutputName: 'ApiHost' }),
    )
    expect([listings, upvotes]).toMatchObject([
      { PathPattern: '/joke', TargetOriginId: api.Id, Compress: true },
      { PathPattern: '/thumbsUp/*', TargetOriginId: api.Id },
    ])
    expect(listings.AllowedMethods).toContain('POST')
    expect(upvotes.AllowedMethods).toContain('POST')
  })

  it('caches a listing for at most 5 seconds, by its whole query', () => {
    template.hasResourceProperties('AWS::CloudFront::CachePolicy', {
      CachePolicyConfig: {
        MaxTTL: 5,
        ParametersInCacheKeyAndForwardedToOrigin: {
          QueryStringsConfig: { QueryStringBehavior: 'all' },
          CookiesConfig: { CookieBehavior: 'none' },
        },
      },
    })
  })

  it('caches no upvote', () => {
    // AWS's own policy without caching.
    expect(upvotes.CachePolicyId).toBe('4135ea2d-6df8-44a3-9df3-4b5a84be39ad')
    expect([listings.CachedMethods ?? [], upvotes.CachedMethods ?? []].flat()).not.toContain('POST')
  })

  it('caches no error', () => {
    // All that CloudFront would cache, and API Gateway or S3 may answer.
    expect(config.CustomErrorResponses).toEqual(
      [400, 403, 404, 405, 414, 500, 502, 503, 504].map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })),
    )
  })

  it('caches no random order, unless it has a seed', () => {
    const run = edgeFunction('TellApart')
    const apart = (query: Record<string, string>, requestId: string) => {
      const querystring = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, { value }]))
      const { headers } = run({ request: { method: 'GET', headers: {}, querystring }, context: { requestId } })
      return headers['x-cache-apart'].value
    }
    expect([apart({ sortBy: 'random' }, '1'), apart({ SORTBY: 'random' }, '2')]).toEqual(['1', '2'])
    expect(apart({ sortBy: 'random', seed: '' }, '5')).toBe('5')
    for (const query of [{ sortBy: 'thumbsUp' }, { sortBy: 'random', Seed: 'today' }])
      expect(apart(query, '3')).toBe(apart({}, '4'))
    expect(listings.FunctionAssociations).toHaveLength(1)
  })
})

describe('every answer', () => {
  it('of the API can be read from any origin, cached or not', () => {
    template.hasResourceProperties('AWS::CloudFront::ResponseHeadersPolicy', {
      ResponseHeadersPolicyConfig: {
        Name: Match.stringLikeRegexp('ApiHeaders'),
        CorsConfig: {
          AccessControlAllowOrigins: { Items: ['*'] },
          AccessControlAllowMethods: { Items: ['GET', 'POST'] },
          AccessControlAllowHeaders: { Items: ['content-type'] },
          AccessControlExposeHeaders: { Items: ['link', 'retry-after'] },
          AccessControlAllowCredentials: false,
          OriginOverride: true,
        },
      },
    })
    expect([listings.ResponseHeadersPolicyId, upvotes.ResponseHeadersPolicyId]).toEqual(
      Array(2).fill({ Ref: expect.stringMatching(/^ApiHeaders/) }),
    )
  })

  it('of the firewall can be read from any origin, and has a Retry-After', () => {
    const answers = firewall?.Rules.flatMap(({ Action }: Rule) => Action?.Block.CustomResponse ?? [])
    expect(answers).toEqual(
      Array(2).fill({
        ResponseCode: 429,
        ResponseHeaders: [
          { Name: 'retry-after', Value: '60' },
          { Name: 'access-control-allow-origin', Value: '*' },
          { Name: 'access-control-expose-headers', Value: 'retry-after' },
        ],
      }),
    )
  })
})

describe('the firewall', () => {
  it('protects the whole distribution', () => {
    expect(config.WebACLId).toEqual({ 'Fn::GetAtt': [expect.stringMatching(/^Firewall/), 'Arn'] })
    expect(firewall).toMatchObject({ Scope: 'CLOUDFRONT', DefaultAction: { Allow: {} } })
  })

  it('limits the requests of one address, and its POST requests more strictly', () => {
    expect(firewall?.Rules).toMatchObject([
      { Statement: { RateBasedStatement: { AggregateKeyType: 'IP', Limit: 3_000 } } },
      {
        Statement: {
          RateBasedStatement: {
            AggregateKeyType: 'IP',
            Limit: 300,
            ScopeDownStatement: { ByteMatchStatement: { FieldToMatch: { Method: {} }, SearchString: 'POST' } },
          },
        },
      },
      {},
      {},
    ])
  })

  it('blocks bad addresses and attacks, but no joke or search because of its text or length', () => {
    const groups = firewall?.Rules.flatMap(({ Statement }: Rule) => Statement.ManagedRuleGroupStatement ?? [])
    expect(groups.map(({ Name }: { Name: string }) => Name)).toEqual([
      'AWSManagedRulesAmazonIpReputationList',
      'AWSManagedRulesKnownBadInputsRuleSet',
    ])
    for (const { Name, RuleActionOverrides } of groups) {
      const counted = RuleActionOverrides.flatMap((each: { Name: string; ActionToUse: { Count?: object } }) =>
        each.ActionToUse.Count ? each.Name : [],
      )
      const refusing = DOCUMENTED_RULES[Name]?.filter((rule) => !counted.includes(rule)) ?? []
      expect(refusing.filter((rule) => /_(BODY|QUERYSTRING|QUERYARGUMENTS)$/.test(rule))).toEqual([])
      expect(refusing.length).toBeGreaterThan(0)
    }
    // CloudFront accepts URLs of 8,192 bytes: enough for the longest search, and for as many ids as a listing accepts.
    const longest = [{ id: Array(MAX_IDS).fill('x'.repeat(22)).join(',') }, { searchString: '笑'.repeat(200) }]
    for (const query of longest) expect(`/joke?${new URLSearchParams(query)}`.length).toBeLessThan(8_192)
  })
})

describe('the Accept header', () => {
  const formatOf = (accept: string | undefined, method = 'GET') =>
    edgeFunction('TellApart')({
      request: { method, headers: accept === undefined ? {} : { accept: { value: accept } }, querystring: {} },
      context: { requestId: '1' },
    }).headers.accept?.value

  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['application/json, text/plain, */*', 'application/json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/json'],
    ['text/plain', 'text/plain'],
    ['Text/Plain', 'text/plain'],
    ['text/*', 'text/plain'],
    ['text/plain, application/json;q=0.5', 'text/plain'],
    ['application/json;charset=utf-8;q=0.5, text/plain;format=flowed;q=0.6', 'text/plain'],
    ['text/plain;q=0.5, application/json', 'application/json'],
    ['text/plain;q=0, */*', 'application/json'],
    ['text/plain, application/*;q=0.1', 'text/plain'],
    ['', 'application/json'],
    ['nonsense;q=x,,', 'application/json'],
    ['text/plain, application/json', 'text/plain'],
    ['text/plain, */*', 'text/plain'],
    ['text/plain; charset=utf-8, */*;q=0.1', 'text/plain'],
    ['application/json;q=0, */*', 'text/plain'],
  ])('%j becomes %s, so the cache keeps a listing at most twice', (accept, format) => {
    expect(formatOf(accept)).toBe(format)
    // Without CloudFront, the service chooses the same format.
    const event = Object({ headers: accept === undefined ? {} : { accept } })
    const { headers } = respondPage(event, parseListing({}), [])
    expect(headers['content-type']).toMatch(new RegExp(`^${format}`))
    template.hasResourceProperties('AWS::CloudFront::CachePolicy', {
      CachePolicyConfig: {
        ParametersInCacheKeyAndForwardedToOrigin: {
          HeadersConfig: { HeaderBehavior: 'whitelist', Headers: ['x-cache-apart', 'accept'] },
        },
      },
    })
  })

  it('is unchanged when a joke is added', () => {
    expect(formatOf('application/vnd.json', 'POST')).toBe('application/vnd.json')
  })
})

describe('a custom domain', () => {
  const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/a1b2'

  it('uses its certificate, and TLS 1.2 or later', () => {
    const own = Template.fromStack(makeStack('own', { domainName: 'jokes.example.com', certificateArn }).stack)
    own.hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: {
        Aliases: ['jokes.example.com'],
        ViewerCertificate: { AcmCertificateArn: certificateArn, MinimumProtocolVersion: 'TLSv1.2_2021' },
      },
    })
    own.hasOutput('PageUrl', { Value: 'https://jokes.example.com/' })
    expect(pagesIn('own').some((page) => page.includes('content="https://jokes.example.com/card.png"'))).toBe(true)
  })

  it('is optional', () => {
    expect(pagesIn('plain').some((page) => /content="https:\/\/<<marker:.*>>\/card\.png"/.test(page))).toBe(true)
    expect(config.Aliases ?? config.ViewerCertificate).toBeUndefined()
  })
})

describe('the monitoring', () => {
  const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm')

  it.each([
    ['Page failing', '#page-failing'],
    ['Firewall blocking', '#firewall-blocking'],
  ])('has the alarm %s, with its section in operations.md', (name, section) => {
    expect(alarms).toContainEqual(
      expect.objectContaining({
        AlarmName: `JokePage ${name}`,
        AlarmDescription: expect.stringMatching(new RegExp(`What to do: docs/operations.md${section}$`)),
        AlarmActions: [{ Ref: expect.stringMatching(/^MonitoringAlarms/) }],
      }),
    )
    expect(alarms).toHaveLength(2)
    expect(sectionsOf(readFileSync('docs/operations.md', 'utf8'))).toContain(section.slice(1))
  })

  it('counts blocks by the metric name of the firewall', () => {
    expect(JSON.stringify(alarms)).toContain(`{"Name":"WebACL","Value":"${firewall?.VisibilityConfig.MetricName}"}`)
    expect(firewall?.Name).toBe(firewall?.VisibilityConfig.MetricName)
  })

  it('has a dashboard', () => {
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 1)
  })
})

it('violates no rule except acknowledged ones', () => {
  const { app } = makeStack('checked', { alarmEmail: 'oncall@example.com' }, true)
  addRulePacks(app)
  const rules = checkRules(app)
  expect(rules.map(({ pluginName, violations }) => [pluginName, violations])).toEqual([
    ['AwsSolutions', []],
    ['Serverless', []],
  ])
  const acknowledged = rules.flatMap((pack) => pack.acknowledged.map((rule) => rule.replace(/\[.*/, '')))
  expect([...new Set(acknowledged)]).toEqual([
    'AwsSolutions-CFR1',
    'AwsSolutions-CFR4',
    'AwsSolutions-IAM4',
    'AwsSolutions-IAM5',
    'AwsSolutions-L1',
    'Serverless-LambdaDLQ',
    'Serverless-LambdaLatestVersion',
    'Serverless-LambdaTracing',
    'Serverless-SNSRedrivePolicy',
  ])
})

function makeStack(folder: string, settings: Record<string, string> = {}, isValidated = false) {
  const app = new App({
    outdir: join(outdir, folder),
    context: { ...cdk.context, stages: { prod: settings } },
    builtinCloudFormationValidation: isValidated,
  })
  return {
    app,
    stack: new JokePage(app, 'JokePage', { settings: readSettings(app.node), serviceRegion: 'eu-west-1', site }),
  }
}

/** The HTML of the page in the assets of a synthesis. */
function pagesIn(folder: string): string[] {
  return globSync(join(outdir, folder, 'asset.*/index.html')).map((file) => readFileSync(file, 'utf8'))
}

/** The handler of a CloudFront function. */
function edgeFunction(id: string) {
  const functions = template.findResources('AWS::CloudFront::Function')
  const [, resource] = Object.entries(functions).find(([logicalId]) => logicalId.startsWith(id)) ?? []
  return runInNewContext(`${resource?.Properties.FunctionCode}; handler`)
}
