/**
 * Takes the place of the SDK's chain of credential providers in the bundles, of which it makes 40 %: profiles, single
 * sign-on, instance metadata. Lambda hands credentials over in the environment, and so does `sam local`.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env'
