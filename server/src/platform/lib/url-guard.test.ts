import { createServer, type LookupFunction } from 'node:net'
import { describe, expect, test } from 'vitest'
import { AddressRefusedError, addressKind, findUrlProblem, guardedConnector } from './url-guard.ts'

describe('addressKind: kind of each address [ADM-ENV-10]', () => {
  test.each([
    // metadata and link-local, in every notation
    ['169.254.169.254', 'never'],
    ['169.254.0.1', 'never'],
    ['::ffff:169.254.169.254', 'never'],
    ['::ffff:a9fe:a9fe', 'never'],
    ['::a9fe:a9fe', 'never'],
    ['64:ff9b::169.254.169.254', 'never'],
    ['64:ff9b:1::a9fe:a9fe', 'never'],
    ['2002:a9fe:a9fe::1', 'never'],
    ['2001:0:a9fe:a9fe::1', 'never'],
    ['fe80::1', 'never'],
    ['fe80::1%eth0', 'never'],
    ['fd00:ec2::254', 'never'],
    ['100.100.100.200', 'never'],
    ['168.63.129.16', 'never'],
    ['192.0.0.192', 'never'],
    ['224.0.0.1', 'never'],
    ['255.255.255.255', 'never'],
    ['ff02::1', 'never'],
    ['', 'never'],
    ['localhost', 'never'],
    ['1.2.3', 'never'],
    // loopback and internal networks
    ['127.0.0.1', 'private'],
    ['127.255.255.254', 'private'],
    ['0.0.0.0', 'private'],
    ['0.1.2.3', 'private'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['100.127.255.255', 'private'],
    ['198.18.0.1', 'private'],
    ['203.0.113.9', 'private'],
    ['::', 'private'],
    ['::1', 'private'],
    ['::ffff:127.0.0.1', 'private'],
    ['::ffff:10.1.2.3', 'private'],
    ['::7f00:1', 'private'],
    ['64:ff9b::7f00:1', 'private'],
    ['2002:7f00:1::', 'private'],
    ['2002:c0a8:101::1', 'private'],
    ['fc00::1', 'private'],
    ['fd12:3456::1', 'private'],
    ['fec0::1', 'private'],
    ['2001:db8::1', 'private'],
    ['4000::1', 'private'],
    // public addresses
    ['8.8.8.8', 'public'],
    ['172.32.0.1', 'public'],
    ['100.128.0.1', 'public'],
    ['169.253.255.255', 'public'],
    ['2606:4700::1111', 'public'],
    ['::ffff:8.8.8.8', 'public'],
    ['64:ff9b::8.8.8.8', 'public'],
    ['2002:808:808::1', 'public'],
  ])('%s is %s', (address, kind) => expect(addressKind(address)).toBe(kind))
})

describe('findUrlProblem', () => {
  const METADATA = /link-local, metadata/
  const PRIVATE = /private/
  test.each([
    ['http://169.254.169.254/latest', METADATA],
    ['http://2852039166/', METADATA], // decimal
    ['http://0xa9.0xfe.0xa9.0xfe/', METADATA],
    ['http://0251.0376.0251.0376/', METADATA],
    ['http://169.254.43518/', METADATA],
    ['http://[::ffff:169.254.169.254]/', METADATA],
    ['http://①⑥⑨.254.169.254/', METADATA],
    ['http://169.254.169.254./', METADATA],
    ['http://metadata.google.internal/', METADATA],
    ['http://METADATA.google.internal./', METADATA],
    ['http://[fe80::1]/', METADATA],
    ['http://127.0.0.1:8080/v1', PRIVATE],
    ['http://127.1/', PRIVATE],
    ['http://2130706433/', PRIVATE],
    ['http://0x7f000001/', PRIVATE],
    ['http://017700000001/', PRIVATE],
    ['http://0/', PRIVATE],
    ['http://0.0.0.0/', PRIVATE],
    ['http://[::]/', PRIVATE],
    ['http://[::1]/', PRIVATE],
    ['http://[64:ff9b::7f00:1]/', PRIVATE],
    ['http://localhost/', PRIVATE],
    ['http://localhost./', PRIVATE],
    ['http://api.localhost/', PRIVATE],
    ['https://user@api.example.com/', /credentials/],
    ['https://:pw@api.example.com/', /credentials/],
    ['https://api.example.com/?x=1', /query/],
    ['https://api.example.com/#', /fragment/],
    ['ftp://api.example.com/', /https/],
    ['file:///etc/passwd', /https/],
    ['unix:/var/run/docker.sock', /https/],
    ['api.example.com', /absolute/],
    ['', /absolute/],
  ])('refuses %s', (url, problem) => {
    expect(findUrlProblem(url, false)).toMatch(problem)
    // A configured URL may be private, but not link-local, metadata or invalid.
    if (problem === PRIVATE) expect(findUrlProblem(url, true)).toBeUndefined()
    else expect(findUrlProblem(url, true)).toMatch(problem)
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
