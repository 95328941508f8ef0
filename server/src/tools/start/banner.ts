import type { DemoFile } from '../demo/demo-file.ts'

export interface BannerFacts {
  /** URL of the server, without a slash at the end. */
  readonly base: string
  readonly demo?: { readonly file: string; readonly content: DemoFile; readonly providers: readonly string[] } | undefined
  /** How to get the first admin token. Absent if there was one before this start. */
  readonly adminToken?: string | undefined
  /** How the first owner signs in: the link for terminals, and where to find it for logs. Absent if there is an operator. */
  readonly firstLogin?: { readonly url: string | undefined; readonly where: string } | undefined
  /** Only a terminal shows secrets. In a log the banner names their files instead. */
  readonly isTerminal: boolean
}

export function banner({ base, demo, adminToken, firstLogin, isTerminal }: BannerFacts): string {
  const login = isTerminal ? (firstLogin?.url ?? firstLogin?.where) : firstLogin?.where
  const rows = [
    ['Dashboard', `${base}/dashboard/`],
    ...(login === undefined ? [] : [['First login', login]]),
    ...(demo ? [['Sign in as', accountOf(demo.content.dashboard)]] : []),
    ...(demo ? [['Reviewer', accountOf(demo.content.reviewer)]] : []),
    ['API', `${base}/v1`],
    ['Documentation', `${base}/docs`],
    ...(adminToken === undefined ? [] : [['Admin token', adminToken]]),
    ...(demo ? demoRows(demo) : []),
  ]
  const width = Math.max(...rows.map(([name = '']) => name.length)) + 3
  const table = rows.map(([name = '', value = '']) => `  ${name.padEnd(width)}${value}`)
  const example = demo && isTerminal ? exampleRequest(base, demo.content) : []
  return ['', `  Gatehouse is running at ${base}`, '', ...table, ...example, '', ''].join('\n')

  function secret(value: string): string {
    return isTerminal ? value : `(in ${demo?.file})`
  }

  function accountOf({ email, password }: { readonly email: string; readonly password: string }): string {
    return `${email}   ${secret(password)}`
  }

  function demoRows({ file, content, providers }: NonNullable<BannerFacts['demo']>): string[][] {
    return [
      ['API key', secret(content.applications[0]?.api_key ?? '')],
      ['More keys, users', file],
      ['Models', ['built-in demo', ...providers].join(', ')],
    ]
  }
}

const exampleRequest = (base: string, { applications }: DemoFile): string[] => [
  '',
  '  Try it:',
  '',
  `    curl ${base}/v1/chat/completions \\`,
  `      -H 'Authorization: Bearer ${applications[0]?.api_key}' \\`,
  `      -H 'Content-Type: application/json' \\`,
  `      -d '{"messages": [{"role": "user", "content": "Draft a friendly reply to a customer."}]}'`,
]
