/** The stack of the page. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { App, Validations } from 'aws-cdk-lib'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import * as v from 'valibot'
import { afterAll, describe, expect, it } from 'vitest'
import cdk from '../cdk.json' with { type: 'json' }
import { JokePage } from '../infra/page/jokePage.ts'
import { buildSite, SECURITY_HEADERS } from '../web/build.ts'

const outdir = mkdtempSync(join(tmpdir(), 'page-'))
afterAll(() => rmSync(outdir, { recursive: true }))

const site = await buildSite()
const { stack } = makeStack('plain')
const template = Template.fromStack(stack)
const [distribution] = Object.values(template.findResources('AWS::CloudFront::Distribution'))
const {
  DefaultCacheBehavior: files,
  CacheBehaviors,
  Origins,
  ...config
} = Object(distribution).Properties.DistributionConfig
const [listings, upvotes] = CacheBehaviors

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

  it('come compressed, over HTTPS, with the headers that they have locally', () => {
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

  it('are all there, where the distribution looks for them', () => {
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

describe('the API', () => {
  it('is that of the service, under the same name', () => {
    const [, api] = Origins
    expect(JSON.stringify(api.DomainName)).toContain(
      JSON.stringify({ StackName: 'JokeService', Region: 'eu-west-1', OutputName: 'ApiUrl' }),
    )
    expect([listings, upvotes]).toMatchObject([
      { PathPattern: '/joke', TargetOriginId: api.Id, Compress: true },
      { PathPattern: '/thumbsUp/*', TargetOriginId: api.Id },
    ])
    expect(listings.AllowedMethods).toContain('POST')
    expect(upvotes.AllowedMethods).toContain('POST')
  })

  it('is asked again for a listing after some seconds, by its whole query', () => {
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

  it('is asked for every upvote, and never gets one answered from the cache', () => {
    // AWS's own policy without caching.
    expect(upvotes.CachePolicyId).toBe('4135ea2d-6df8-44a3-9df3-4b5a84be39ad')
    expect([listings.CachedMethods ?? [], upvotes.CachedMethods ?? []].flat()).not.toContain('POST')
  })

  it('is asked again after every error', () => {
    const kept = config.CustomErrorResponses.filter(
      ({ ErrorCachingMinTTL }: { ErrorCachingMinTTL: number }) => ErrorCachingMinTTL > 0,
    )
    expect(kept).toEqual([])
    expect(config.CustomErrorResponses.map(({ ErrorCode }: { ErrorCode: number }) => ErrorCode)).toContain(503)
  })

  it('is asked for every random sample', () => {
    const run = edgeFunction('TellApart')
    const apart = (query: Record<string, string>, requestId: string) => {
      const querystring = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, { value }]))
      return run({ request: { headers: {}, querystring }, context: { requestId } }).headers['x-cache-apart'].value
    }
    expect([apart({ sortBy: 'random' }, '1'), apart({ SORTBY: 'random' }, '2')]).toEqual(['1', '2'])
    expect(apart({ sortBy: 'thumbsUp' }, '3')).toBe(apart({}, '4'))
    expect(listings.FunctionAssociations).toHaveLength(1)
  })
})

it('has a firewall with a rate for each address and the common rules, that lets jokes through', () => {
  template.hasResourceProperties('AWS::WAFv2::WebACL', {
    Scope: 'CLOUDFRONT',
    Rules: [
      Match.objectLike({
        Statement: { RateBasedStatement: { AggregateKeyType: 'IP', Limit: 3_000 } },
        Action: { Block: { CustomResponse: Match.objectLike({ ResponseCode: 429 }) } },
      }),
      Match.objectLike({ Name: 'AWSManagedRulesAmazonIpReputationList' }),
      Match.objectLike({ Name: 'AWSManagedRulesKnownBadInputsRuleSet' }),
      Match.objectLike({
        Name: 'AWSManagedRulesCommonRuleSet',
        Statement: {
          ManagedRuleGroupStatement: Match.objectLike({
            RuleActionOverrides: ['SizeRestrictions_BODY', 'CrossSiteScripting_BODY'].map((Name) => ({
              Name,
              ActionToUse: { Count: {} },
            })),
          }),
        },
      }),
    ],
  })
  expect(config.WebACLId).toEqual({ 'Fn::GetAtt': [expect.stringMatching(/^Firewall/), 'Arn'] })
})

const Report = v.object({
  pluginReports: v.array(
    v.object({
      pluginName: v.string(),
      violations: v.array(v.unknown()),
      suppressedViolations: v.optional(v.array(v.object({ ruleName: v.string() })), []),
    }),
  ),
})

it("breaks no rule of others but those that are CDK's own doing, or the price of having no domain", () => {
  const { app } = makeStack('checked')
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app))
  app.synth()
  const { pluginReports } = v.parse(
    Report,
    JSON.parse(readFileSync(join(outdir, 'checked', 'validation-report.json'), 'utf8')),
  )
  expect(pluginReports.map(({ pluginName, violations }) => [pluginName, violations])).toEqual([
    ['AwsSolutions', []],
    ['Serverless', []],
  ])
  const acknowledged = pluginReports.flatMap((report) => report.suppressedViolations.map(({ ruleName }) => ruleName))
  expect(new Set(acknowledged.map((rule) => rule.replace(/\[.*/, '')))).toEqual(
    new Set([
      'AwsSolutions-CFR1',
      'AwsSolutions-CFR4',
      'AwsSolutions-IAM4',
      'AwsSolutions-IAM5',
      'AwsSolutions-L1',
      'Serverless-LambdaDLQ',
      'Serverless-LambdaLatestVersion',
      'Serverless-LambdaTracing',
    ]),
  )
})

function makeStack(folder: string) {
  const app = new App({ outdir: join(outdir, folder), context: cdk.context })
  return {
    app,
    stack: new JokePage(app, 'JokePage', { serviceStack: 'JokeService', serviceRegion: 'eu-west-1', site }),
  }
}

/** A function at CloudFront's edge, ready to be called. */
function edgeFunction(id: string) {
  const functions = template.findResources('AWS::CloudFront::Function')
  const [code] = Object.entries(functions).flatMap(([logicalId, { Properties }]) =>
    logicalId.startsWith(id) ? [Properties.FunctionCode] : [],
  )
  return runInNewContext(`${code}; handler`)
}
