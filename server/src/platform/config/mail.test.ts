import { expect, test } from 'vitest'
import { ConfigError } from './environment.ts'
import { readMailConfig } from './mail.ts'

const url = 'smtps://user:secret@mail.example.com:465'
const from = 'Gatehouse <gatehouse@example.com>'

test('mail: the configuration names the variable of the URL, which holds a password', () => {
  const config = readMailConfig({ GATEHOUSE_SMTP_URL: url, GATEHOUSE_MAIL_FROM: from })
  expect(config).toEqual({ from, smtpUrlEnv: 'GATEHOUSE_SMTP_URL' })
  expect(readMailConfig({})).toBeUndefined()
})

test.each([
  ['without a sender', { GATEHOUSE_SMTP_URL: url }],
  ['without a server', { GATEHOUSE_MAIL_FROM: from }],
  ['with another protocol', { GATEHOUSE_SMTP_URL: 'https://mail.example.com', GATEHOUSE_MAIL_FROM: from }],
  ['with a sender that is no address', { GATEHOUSE_SMTP_URL: url, GATEHOUSE_MAIL_FROM: 'Gatehouse' }],
  ['with a sender of two lines', { GATEHOUSE_SMTP_URL: url, GATEHOUSE_MAIL_FROM: 'a@example.com\r\nBcc: b@example.com' }],
])('mail: the start fails %s', (_, env) => {
  expect(() => readMailConfig(env)).toThrow(ConfigError)
})
