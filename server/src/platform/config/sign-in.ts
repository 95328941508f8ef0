import { isIP } from 'node:net'
import { ROLES, type Role } from '../../shared/operator.ts'
import { ConfigError, type Environment } from './environment.ts'

/** A role in the Workspace with this id or name; without one in all Workspaces. */
interface DeclaredRole {
  readonly workspace?: string
  readonly role: Role
}

const SECRET_ENV = 'GATEHOUSE_OIDC_CLIENT_SECRET'

export function readSignInConfig(env: Environment) {
  return {
    /** undefined: the origin of each request. */
    publicUrl: env.GATEHOUSE_PUBLIC_URL ? parseOrigin('GATEHOUSE_PUBLIC_URL', env.GATEHOUSE_PUBLIC_URL) : undefined,
    /** Addresses or networks of proxies whose forwarding headers are trusted. */
    trustedProxies: parseProxies(env.GATEHOUSE_TRUSTED_PROXIES),
    oidc: readOidcConfig(env),
  }
}

/** Single sign-on. The client secret stays in the environment. */
function readOidcConfig(env: Environment) {
  const { GATEHOUSE_OIDC_ISSUER: issuer, GATEHOUSE_OIDC_CLIENT_ID: clientId } = env
  if (!issuer && !clientId) return undefined
  if (!issuer || !clientId || !env[SECRET_ENV])
    throw new ConfigError(`single sign-on needs GATEHOUSE_OIDC_ISSUER, GATEHOUSE_OIDC_CLIENT_ID and ${SECRET_ENV}`)
  if (!URL.canParse(issuer)) throw new ConfigError('GATEHOUSE_OIDC_ISSUER must be a URL, for example https://login.example.com')
  return {
    issuer: issuer.replace(/\/+$/, ''),
    clientId,
    clientSecretEnv: SECRET_ENV,
    name: env.GATEHOUSE_OIDC_NAME || 'single sign-on',
    scopes: env.GATEHOUSE_OIDC_SCOPES ? parseList(env.GATEHOUSE_OIDC_SCOPES) : ['openid', 'profile', 'email'],
    /** Claim that says whether the address is verified: Entra ID sends `xms_edov`. */
    verifiedClaim: env.GATEHOUSE_OIDC_VERIFIED_CLAIM || 'email_verified',
    /** Claim with the roles, for example `groups` or `realm_access.roles`. undefined: only invited operators may sign in. */
    roleClaim: env.GATEHOUSE_OIDC_ROLE_CLAIM || undefined,
    /** Roles by value of the claim. undefined: the values are roles, for example `auditor` or `acme:reviewer`. */
    roles: env.GATEHOUSE_OIDC_ROLES ? parseRoles(env.GATEHOUSE_OIDC_ROLES) : undefined,
  }
}

/** Between two roles. Groups can have spaces: `Gatehouse Admins=owner, security=auditor`. */
const ROLE_SEPARATOR = /\s*,\s*|(?<==\S+)\s+/

/** `gatehouse-admins=owner,acme-support=acme:reviewer`. A group can be listed several times. */
function parseRoles(text: string): ReadonlyMap<string, readonly DeclaredRole[]> {
  const roles = new Map<string, DeclaredRole[]>()
  for (const pair of text.trim().split(ROLE_SEPARATOR).filter(Boolean)) {
    const separator = pair.lastIndexOf('=')
    const [workspace, name] = splitLast(pair.slice(separator + 1))
    const role = ROLES.find((known) => known === name)
    if (separator < 1 || !role || workspace === '')
      throw new ConfigError(
        `GATEHOUSE_OIDC_ROLES must be a list of group=role or group=workspace:role, where a role is one of ${ROLES.join(', ')}`,
      )
    const group = pair.slice(0, separator)
    roles.set(group, [...(roles.get(group) ?? []), { role, ...(workspace !== undefined && { workspace }) }])
  }
  return roles
}

function splitLast(text: string): [workspace: string | undefined, role: string] {
  const colon = text.lastIndexOf(':')
  return colon < 0 ? [undefined, text] : [text.slice(0, colon), text.slice(colon + 1)]
}

function parseProxies(text: string | undefined): string[] {
  const list = parseList(text)
  for (const entry of list) {
    const [address = '', prefix = '0'] = entry.split('/', 2)
    const bits = isIP(address) === 6 ? 128 : 32
    if (isIP(address) === 0 || !/^\d{1,3}$/.test(prefix) || Number(prefix) > bits)
      throw new ConfigError(
        `GATEHOUSE_TRUSTED_PROXIES must be addresses or networks separated by commas, for example 10.0.0.0/8,127.0.0.1, but ${entry} is neither`,
      )
  }
  return list
}

const parseList = (text: string | undefined): string[] => (text ?? '').split(/[\s,]+/).filter(Boolean)

function parseOrigin(name: string, text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash || url.username)
    throw new ConfigError(`${name} must be an origin, for example https://gatehouse.example.com`)
  return url.origin
}
