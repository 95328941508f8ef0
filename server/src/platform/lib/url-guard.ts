import { lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { ADDRESS_REFUSED } from './http-request.ts'

/** `never`: link-local, metadata, multicast, reserved. `private`: loopback and internal, for configured URLs only (ADM-ENV-10). */
type AddressKind = 'public' | 'private' | 'never'

type Net = readonly [address: string, bits: number]

const NEVER_V4: readonly Net[] = [
  ['169.254.0.0', 16], // link-local: metadata of AWS, Google, Azure and most others
  ['100.100.100.200', 32], // metadata, Alibaba
  ['168.63.129.16', 32], // wire server, Azure: a public address that only virtual machines reach
  ['192.0.0.192', 32], // metadata, Oracle
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved and broadcast
]
const PRIVATE_V4: readonly Net[] = [
  ['0.0.0.0', 8], // reaches loopback
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16],
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
]
const NEVER_V6: readonly Net[] = [
  ['fe80::', 10], // link-local
  ['ff00::', 8], // multicast
  ['fd00:ec2::254', 128], // metadata, AWS
  ['fd20:ce::254', 128], // metadata, Google
  ['64:ff9b:1::', 48], // local NAT64: contains an IPv4 address at a position that only the network knows
  ['2001::', 32], // Teredo: contains an IPv4 address
]
const PRIVATE_V6: readonly Net[] = [['2001:db8::', 32]] // all other addresses outside of global unicast are private, too
const GLOBAL_V6: readonly Net[] = [
  ['2000::', 3],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
]

/** The IPv6 forms of an IPv4 network: mapped, compatible, NAT64, 6to4. */
function toIpv6Forms([address, bits]: Net): Net[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  return [
    [`::ffff:${hex}`, 96 + bits],
    [`::${hex}`, 96 + bits],
    [`64:ff9b::${hex}`, 96 + bits],
    [`2002:${hex}::`, 16 + bits],
  ]
}

function blockList(v4: readonly Net[], v6: readonly Net[]): BlockList {
  const list = new BlockList()
  for (const [address, bits] of v4) list.addSubnet(address, bits, 'ipv4')
  for (const [address, bits] of [...v4.flatMap(toIpv6Forms), ...v6]) list.addSubnet(address, bits, 'ipv6')
  return list
}

const never = blockList(NEVER_V4, NEVER_V6)
const internal = blockList(PRIVATE_V4, PRIVATE_V6)
const globalV6 = blockList([], GLOBAL_V6)

/** The kind of an IP address in text form. Other texts count as `never`. */
export function addressKind(address: string): AddressKind {
  const bare = address.replace(/%.*$/s, '')
  const version = isIP(bare)
  if (version === 0) return 'never'
  const family = version === 4 ? 'ipv4' : 'ipv6'
  if (never.check(bare, family)) return 'never'
  if (internal.check(bare, family)) return 'private'
  return version === 6 && !globalV6.check(bare, 'ipv6') ? 'private' : 'public'
}

function isConnectAllowed(address: string, allowPrivate: boolean): boolean {
  const kind = addressKind(address)
  return kind === 'public' || (kind === 'private' && allowPrivate)
}

const METADATA_NAMES = new Set(['metadata.google.internal', 'metadata.goog', 'metadata', 'instance-data'])

/**
 * The problem of a base URL, in words for operators; undefined: none. The URL parser has normalised decimal, octal, hexadecimal and short
 * IPv4 forms. The addresses of host names are checked at connect time.
 */
export function findUrlProblem(text: string, allowPrivate: boolean): string | undefined {
  const url = URL.parse(text)
  if (!url) return 'must be an absolute URL'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must start with https:// or http://'
  if (url.username || url.password) return 'must not contain credentials; set the key as api_key'
  if (/[?#]/.test(text)) return 'must not have a query or a fragment; put a query into path'
  return findHostProblem(url, allowPrivate)
}

/** A loop, because a regular expression takes quadratic time on many dots. */
function withoutFinalDots(host: string): string {
  let end = host.length
  while (host[end - 1] === '.') end--
  return host.slice(0, end)
}

const PRIVATE =
  'must not point at a private address: to allow them, start the server with GATEHOUSE_ALLOW_PRIVATE_URLS=1, or declare the URL in gatehouse.yaml'

/** The problem of a URL's host, without resolving its name; undefined: none. */
export function findHostProblem({ hostname }: URL, allowPrivate: boolean): string | undefined {
  const host = withoutFinalDots(hostname.replace(/^\[|\]$/g, ''))
  const kind = isIP(host) ? addressKind(host) : nameKind(host)
  if (kind === 'never') return 'must not point at a link-local, metadata or reserved address'
  if (kind === 'private' && !allowPrivate) return PRIVATE
  return undefined
}

function nameKind(name: string): AddressKind {
  if (METADATA_NAMES.has(name)) return 'never'
  return name === 'localhost' || name.endsWith('.localhost') ? 'private' : 'public'
}

/** Whether requests to the URL stay on this machine. */
export function isLoopback({ hostname }: URL): boolean {
  const host = withoutFinalDots(hostname)
  return host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.')) || host === 'localhost' || host.endsWith('.localhost')
}

/** The connector refused an address and opened no connection. */
export class AddressRefusedError extends Error {
  readonly code = ADDRESS_REFUSED
}

/** Connects only to allowed addresses. They are checked in the lookup whose result is connected to, against DNS rebinding. */
export function guardedConnector(
  allowPrivate: boolean,
  timeoutMs: number,
  lookup: LookupFunction = systemLookup,
): buildConnector.connector {
  const guarded: LookupFunction = (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, result) => {
      if (error) return done(error, '')
      const addresses = typeof result === 'string' ? [{ address: result, family: isIP(result) }] : result
      const [first] = addresses
      if (!first || !addresses.every(({ address }) => isConnectAllowed(address, allowPrivate)))
        return done(new AddressRefusedError(), '')
      return options.all ? done(null, addresses) : done(null, first.address, first.family)
    })
  }
  // HTTP/1.1 only: with HTTP/2 a reset would end all requests that share the connection.
  const connect = buildConnector({ timeout: timeoutMs, allowH2: false, lookup: guarded } as buildConnector.BuildOptions)
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) && !isConnectAllowed(host, allowPrivate)) return callback(new AddressRefusedError(), null)
    return connect(options, callback)
  }
}
