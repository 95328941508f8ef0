import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
  readonly to: readonly string[]
  readonly subject: string
  /** The whole message, with its encodings of long lines removed. */
  readonly text: string
}

/** A real mail server that keeps what it receives. With `password` it accepts only the user `gatehouse` with that password. */
export async function startMailServer({ password, port = 0 }: { readonly password?: string; readonly port?: number } = {}) {
  const received: ReceivedMail[] = []
  const state = { isRefusing: false }
  const server = new SMTPServer({
    disabledCommands: password === undefined ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
    authOptional: password === undefined,
    allowInsecureAuth: true,
    logger: false,
    onAuth: (auth, _session, done) =>
      auth.password === password ? done(null, { user: auth.username }) : done(new Error('wrong password')),
    onRcptTo: (_address, _session, done) => (state.isRefusing ? done(new Error('mailbox full')) : done()),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const text = decode(Buffer.concat(chunks).toString())
        const to = session.envelope.rcptTo.map(({ address }) => address)
        received.push({ to, subject: /^Subject: (.*)$/m.exec(text)?.[1]?.trim() ?? '', text })
        done()
      })
    },
  })
  server.on('error', () => {})
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  const address = server.server.address() as AddressInfo
  return {
    received,
    state,
    port: address.port,
    url: `smtp://${password === undefined ? '' : `gatehouse:${password}@`}127.0.0.1:${address.port}`,
    close: () => new Promise<void>((closed) => server.close(closed)),
  }
}

/** Unfolds headers and decodes quoted-printable, which is enough for the texts of the tests. */
const decode = (message: string): string =>
  message
    .replace(/\r\n[ \t]+/g, ' ')
    .replace(/=\r\n/g, '')
    .replace(/(?:=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString())
