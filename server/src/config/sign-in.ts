import { isIP } from 'node:net'
import { ROLES, type Role } from '../domain/operator.ts'
import { ConfigError, type Environment } from './environment.ts'

/** Sign-in to the dashboard. */
export interface SignInConfig {
  /** Origin of this server for browsers, for example `https://gatehouse.example.com`. Absent: the origin of each request. */
  readonly publicUrl: string | undefined
  /** Addresses or networks of proxies whose forwarding headers are trusted. */
  readonly trustedProxies: readonly string[]
  readonly oidc: OidcConfig | undefined
}

/** Single sign-on. The client secret stays in the environment. */
export interface OidcConfig {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecretEnv: string
  /** Label of the sign-in button. */
  readonly name: string
  readonly scopes: readonly string[]
  /** Claim with the roles of an operator. Absent: only invited operators may sign in. */
  readonly roleClaim: string | undefined
  /** Roles by value of the claim. */
  readonly roles: ReadonlyMap<string, Role>
}

const SECRET_ENV = 'GATEHOUSE_OIDC_CLIENT_SECRET'

export function readSignInConfig(env: Environment): SignInConfig {
  return {
    publicUrl: env.GATEHOUSE_PUBLIC_URL ? parseOrigin('GATEHOUSE_PUBLIC_URL', env.GATEHOUSE_PUBLIC_URL) : undefined,
    trustedProxies: parseProxies(env.GATEHOUSE_TRUSTED_PROXIES),
    oidc: readOidcConfig(env),
  }
}

function readOidcConfig(env: Environment): OidcConfig | undefined {
  const { GATEHOUSE_OIDC_ISSUER: issuer, GATEHOUSE_OIDC_CLIENT_ID: clientId } = env
  if (!issuer && !clientId) return undefined
  if (!issuer || !clientId || !env[SECRET_ENV]) {
    throw new ConfigError(`single sign-on needs GATEHOUSE_OIDC_ISSUER, GATEHOUSE_OIDC_CLIENT_ID and ${SECRET_ENV}`)
  }
  if (!URL.canParse(issuer)) throw new ConfigError('GATEHOUSE_OIDC_ISSUER must be a URL, for example https://login.example.com')
  return {
    issuer: issuer.replace(/\/+$/, ''),
    clientId,
    clientSecretEnv: SECRET_ENV,
    name: env.GATEHOUSE_OIDC_NAME || 'single sign-on',
    scopes: env.GATEHOUSE_OIDC_SCOPES ? parseList(env.GATEHOUSE_OIDC_SCOPES) : ['openid', 'profile', 'email'],
    roleClaim: env.GATEHOUSE_OIDC_ROLE_CLAIM || undefined,
    roles: env.GATEHOUSE_OIDC_ROLES ? parseRoles(env.GATEHOUSE_OIDC_ROLES) : new Map(ROLES.map((role) => [role, role])),
  }
}

/** `gatehouse-admins=owner,security=auditor` */
function parseRoles(text: string): Map<string, Role> {
  return new Map(
    parseList(text).map((pair) => {
      const separator = pair.lastIndexOf('=')
      const role = ROLES.find((name) => name === pair.slice(separator + 1))
      if (separator < 1 || !role)
        throw new ConfigError(`GATEHOUSE_OIDC_ROLES must be a list of group=role, where a role is one of ${ROLES.join(', ')}`)
      return [pair.slice(0, separator), role]
    }),
  )
}

/** `10.0.0.0/8,127.0.0.1` */
function parseProxies(text: string | undefined): string[] {
  const list = parseList(text)
  for (const entry of list) {
    const [address = '', prefix = '0'] = entry.split('/', 2)
    const bits = isIP(address) === 6 ? 128 : 32
    if (isIP(address) === 0 || !/^\d{1,3}$/.test(prefix) || Number(prefix) > bits) {
      throw new ConfigError(
        `GATEHOUSE_TRUSTED_PROXIES must be addresses or networks separated by commas, for example 10.0.0.0/8,127.0.0.1, but ${entry} is neither`,
      )
    }
  }
  return list
}

const parseList = (text: string | undefined): string[] => (text ?? '').split(/[\s,]+/).filter(Boolean)

function parseOrigin(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash || url.username) {
    throw new ConfigError(`${name} must be an origin, for example https://gatehouse.example.com`)
  }
  return url.origin
}
