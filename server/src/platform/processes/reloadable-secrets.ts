import type { Config } from '../config/config.ts'
import type { Environment } from '../config/environment.ts'
import { readSecrets, type Secrets } from '../config/secrets.ts'

/** Secrets whose keys of providers and tokens come from the environment as it was read last. */
export function reloadableSecrets(env: Environment, config: Config): { secrets: Secrets; replace: (env: Environment) => void } {
  let current = env
  return {
    secrets: { ...readSecrets(env, config), fromEnvironment: (name) => current[name] || undefined },
    replace: (next) => {
      current = next
    },
  }
}
