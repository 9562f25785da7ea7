/**
 * Replaces the SDK's chain of credential providers (profiles, single sign-on, instance metadata), 40% of its client's
 * code. Lambda and `sam local` provide credentials in the environment.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env'
