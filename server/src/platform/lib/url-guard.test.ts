import { createServer, type LookupFunction } from 'node:net'
import { describe, expect, test } from 'vitest'
import { AddressRefusedError, addressKind, findUrlProblem, guardedConnector } from './url-guard.ts'

describe('addressKind: kind of each address [ADM-ENV-10]', () => {
  test.each<['never' | 'private' | 'public', string, readonly string[]]>([
    ['never', 'link-local', ['169.254.169.254', '169.254.0.1', 'fe80::1', 'fe80::1%eth0']],
    ['never', 'IPv6 with a link-local IPv4 address', ['::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '::a9fe:a9fe']],
    ['never', 'NAT64 of link-local', ['64:ff9b::169.254.169.254', '64:ff9b:1::a9fe:a9fe']],
    ['never', '6to4 and Teredo of link-local', ['2002:a9fe:a9fe::1', '2001:0:a9fe:a9fe::1']],
    ['never', 'metadata', ['fd00:ec2::254', '100.100.100.200', '168.63.129.16', '192.0.0.192']],
    ['never', 'multicast and reserved', ['224.0.0.1', '255.255.255.255', 'ff02::1']],
    ['never', 'no address', ['', 'localhost', '1.2.3']],
    ['private', 'loopback', ['127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3', '::', '::1']],
    ['private', 'IPv4', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '100.127.255.255']],
    ['private', 'benchmarks and documentation', ['198.18.0.1', '203.0.113.9', '2001:db8::1']],
    ['private', 'IPv6 with an IPv4 address', ['::ffff:127.0.0.1', '::ffff:10.1.2.3', '::7f00:1', '64:ff9b::7f00:1']],
    ['private', '6to4', ['2002:7f00:1::', '2002:c0a8:101::1']],
    ['private', 'IPv6 outside of global unicast', ['fc00::1', 'fd12:3456::1', 'fec0::1', '4000::1']],
    ['public', 'IPv4', ['8.8.8.8', '172.32.0.1', '100.128.0.1', '169.253.255.255']],
    ['public', 'IPv6', ['2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8', '2002:808:808::1']],
  ])('%s for addresses of the group: %s', (kind, _, addresses) => {
    for (const address of addresses) expect(addressKind(address), address).toBe(kind)
  })
})

describe('findUrlProblem', () => {
  const METADATA = /link-local, metadata/
  const PRIVATE = /private/
  test.each<[RegExp, string, readonly string[]]>([
    [METADATA, 'an address', ['http://169.254.169.254/latest', 'http://169.254.169.254./', 'http://[fe80::1]/']],
    [METADATA, 'numbers', ['http://2852039166/', 'http://0xa9.0xfe.0xa9.0xfe/', 'http://0251.0376.0251.0376/']],
    [METADATA, 'other forms', ['http://169.254.43518/', 'http://[::ffff:169.254.169.254]/', 'http://①⑥⑨.254.169.254/']],
    [METADATA, 'a name', ['http://metadata.google.internal/', 'http://METADATA.google.internal./']],
    [PRIVATE, 'an address', ['http://127.0.0.1:8080/v1', 'http://127.1/', 'http://0/', 'http://0.0.0.0/']],
    [PRIVATE, 'numbers', ['http://2130706433/', 'http://0x7f000001/', 'http://017700000001/']],
    [PRIVATE, 'an IPv6 address', ['http://[::]/', 'http://[::1]/', 'http://[64:ff9b::7f00:1]/']],
    [PRIVATE, 'a name', ['http://localhost/', 'http://localhost./', 'http://api.localhost/']],
    [/credentials/, 'credentials', ['https://user@api.example.com/', 'https://:pw@api.example.com/']],
    [/query/, 'a query', ['https://api.example.com/?x=1']],
    [/fragment/, 'a fragment', ['https://api.example.com/#']],
    [/https/, 'another scheme', ['ftp://api.example.com/', 'file:///etc/passwd', 'unix:/var/run/docker.sock']],
    [/absolute/, 'no scheme', ['api.example.com', '']],
  ])('refuses with %s: %s', (problem, _, urls) => {
    for (const url of urls) {
      expect(findUrlProblem(url, false), url).toMatch(problem)
      // A configured URL may be private, but not link-local, metadata or invalid.
      if (problem === PRIVATE) expect(findUrlProblem(url, true), url).toBeUndefined()
      else expect(findUrlProblem(url, true), url).toMatch(problem)
    }
  })

  test.each(['https://api.openai.com/v1', 'http://8.8.8.8:8000', 'https://[2606:4700::1111]/v1'])('accepts %s', (url) =>
    expect(findUrlProblem(url, false)).toBeUndefined(),
  )
})

describe('guardedConnector', () => {
  /** A lookup whose calls return these lists of addresses, and the last one for all further calls. */
  const lookupOf =
    (...results: string[][]): LookupFunction =>
    (_host, _options, done) => {
      const addresses = (results.length > 1 ? results.shift() : results[0]) ?? []
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
    }

  /** Connects to the host at the port of a listening server. Resolves to true or the error. */
  async function connect(hostname: string, allowPrivate: boolean, lookup?: LookupFunction, protocol = 'http:') {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const connector = guardedConnector(allowPrivate, 1_000, lookup)
    const result = await new Promise((resolve) =>
      connector({ hostname, host: hostname, protocol, port: String(port) }, (error, socket) => {
        socket?.destroy()
        resolve(error ?? true)
      }),
    )
    server.close()
    return result
  }

  test('checks an IP address in the URL', async () => {
    expect(await connect('127.0.0.1', false)).toBeInstanceOf(AddressRefusedError)
    expect(await connect('169.254.169.254', true)).toBeInstanceOf(AddressRefusedError)
    expect(await connect('[::ffff:127.0.0.1]', false)).toBeInstanceOf(AddressRefusedError)
    expect(await connect('127.0.0.1', true)).toBe(true)
  })

  test('checks the addresses to which a host name resolves', async () => {
    expect(await connect('api.example.com', false, lookupOf(['127.0.0.1']))).toBeInstanceOf(AddressRefusedError)
    expect(await connect('api.example.com', true, lookupOf(['127.0.0.1']))).toBe(true)
    expect(await connect('api.example.com', true, lookupOf(['169.254.169.254']))).toBeInstanceOf(AddressRefusedError)
    expect(await connect('api.example.com', true, lookupOf([]))).toBeInstanceOf(AddressRefusedError)
  })

  test('checks addresses of HTTPS URLs', async () => {
    const internal = lookupOf(['10.0.0.1'])
    expect(await connect('api.example.com', false, internal, 'https:')).toBeInstanceOf(AddressRefusedError)
    expect(await connect('169.254.169.254', true, undefined, 'https:')).toBeInstanceOf(AddressRefusedError)
  })

  test('refuses a host name when one of its addresses is not allowed', async () => {
    expect(await connect('api.example.com', false, lookupOf(['8.8.8.8', '10.0.0.1']))).toBeInstanceOf(AddressRefusedError)
    expect(await connect('api.example.com', true, lookupOf(['127.0.0.1', '169.254.169.254']))).toBeInstanceOf(AddressRefusedError)
  })

  test('refuses a host name when it resolves to a forbidden address at the second connection [MSG-HOOK-4]', async () => {
    const rebinding = lookupOf(['127.0.0.1'], ['169.254.169.254'])
    expect(await connect('rebind.example.com', true, rebinding)).toBe(true)
    expect(await connect('rebind.example.com', true, rebinding)).toBeInstanceOf(AddressRefusedError)
  })
})
