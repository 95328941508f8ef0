import { BlockList, isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    readonly publicUrl: string | undefined
  }
  interface FastifyRequest {
    /** Base URL of this server, `https://host` without a trailing slash, for all URLs in responses, events and storage. */
    readonly base: string
  }
}

export interface PublicBaseOptions {
  readonly publicUrl: string | undefined
  /** Addresses or networks whose `Forwarded` and `X-Forwarded-…` headers are trusted. */
  readonly trustedProxies: readonly string[]
  readonly host: string
}

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i
const EVERYWHERE = new Set(['0.0.0.0', '::', ''])

/** `base`: the public URL, else the host that a trusted proxy forwards, else the own address. Never from headers of a client. */
export function addBaseUrl(app: FastifyInstance, options: PublicBaseOptions): void {
  const proxies = proxyList(options.trustedProxies)
  app.decorate('publicUrl', options.publicUrl)
  app.decorateRequest('base', {
    getter(this: FastifyRequest) {
      return options.publicUrl ?? forwardedBase(this, proxies) ?? ownBase(this, options.host)
    },
  })
}

function proxyList(trusted: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of trusted) {
    const [address = '', prefix] = text.split('/', 2)
    const version = isIP(address)
    if (version === 0) throw new TypeError(`${text} is neither an address nor a network`)
    const family = version === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return list
}

function comesFromProxy({ socket }: Pick<FastifyRequest, 'socket'>, proxies: BlockList): boolean {
  const address = plainAddress(socket.remoteAddress)
  const version = isIP(address)
  return version !== 0 && proxies.check(address, version === 6 ? 'ipv6' : 'ipv4')
}

/** The base of the last forwarding header, which the trusted proxy has written. Undefined without a valid host. */
function forwardedBase(request: FastifyRequest, proxies: BlockList): string | undefined {
  if (!comesFromProxy(request, proxies)) return undefined
  const { headers } = request
  const forwarded = lastOf(headers.forwarded)
  const host = parameterOf(forwarded, 'host') ?? lastOf(headers['x-forwarded-host'])
  if (host === undefined || !HOST.test(host)) return undefined
  const protocol = parameterOf(forwarded, 'proto') ?? lastOf(headers['x-forwarded-proto'])
  return `${protocol?.toLowerCase() === 'https' ? 'https' : 'http'}://${host.toLowerCase()}`
}

function ownBase({ protocol, socket }: FastifyRequest, configured: string): string {
  const own = EVERYWHERE.has(configured) ? plainAddress(socket.localAddress) || '127.0.0.1' : configured
  return `${protocol}://${own.includes(':') ? `[${own}]` : own}:${socket.localPort ?? 80}`
}

const plainAddress = (address = ''): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

const lastOf = (header: string | string[] | undefined): string | undefined =>
  [header].flat().at(-1)?.split(',').at(-1)?.trim() || undefined

/** A parameter of one element of `Forwarded` (RFC 7239). */
function parameterOf(element: string | undefined, name: string): string | undefined {
  for (const pair of element?.split(';') ?? []) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim().toLowerCase() === name)
      return pair
        .slice(at + 1)
        .trim()
        .replace(/^"(.*)"$/, '$1')
  }
  return undefined
}
