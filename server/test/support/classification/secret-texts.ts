import { DIGITS, UPPER } from '../../../src/domains/classification/text/search.ts'
import { HEX, type Random } from './random.ts'

/** Makes up one secret of each kind in the format that its provider documents, by name. */
export const makeApiKeys = (random: Random): Readonly<Record<string, string>> => ({
  OpenAI: `sk-${random.string(20)}T3BlbkFJ${random.string(20)}`,
  'OpenAI project': `sk-proj-${random.string(64)}`,
  'OpenAI service account': `sk-svcacct-${random.string(64)}`,
  Anthropic: `sk-ant-api03-${random.string(93)}AA`,
  OpenRouter: `sk-or-v1-${random.string(64, HEX)}`,
  Google: `AIza${random.string(35)}`,
  'Hugging Face': `hf_${random.string(34)}`,
  Groq: `gsk_${random.string(52)}`,
  xAI: `xai-${random.string(80)}`,
  Perplexity: `pplx-${random.string(48)}`,
  AWS: `AKIA${random.string(16, `${UPPER}234567`)}`,
  'AWS session': `ASIA${random.string(16, `${UPPER}234567`)}`,
  'Azure AD': `${random.string(3)}8Q~${random.string(34)}`,
  'Google OAuth': `GOCSPX-${random.string(28)}`,
  DigitalOcean: `dop_v1_${random.string(64, HEX)}`,
  Databricks: `dapi${random.string(32, HEX)}`,
  'GitHub personal': `ghp_${random.string(36)}`,
  'GitHub app': `ghs_${random.string(36)}`,
  'GitHub fine-grained': `github_pat_${random.string(22)}_${random.string(59)}`,
  GitLab: `glpat-${random.string(20)}`,
  npm: `npm_${random.string(36)}`,
  PyPI: `pypi-AgEIcHlwaS5vcmc${random.string(80)}`,
  Docker: `dckr_pat_${random.string(27)}`,
  'Slack bot': `xoxb-${random.string(12, DIGITS)}-${random.string(13, DIGITS)}-${random.string(24)}`,
  'Slack webhook': `https://hooks.slack.com/services/T${random.string(9)}/B${random.string(9)}/${random.string(24)}`,
  SendGrid: `SG.${random.string(22)}.${random.string(43)}`,
  Mailgun: `key-${random.string(32, HEX)}`,
  Twilio: `SK${random.string(32, HEX)}`,
  Telegram: `${random.string(10, '123456789')}:AA${random.string(33)}`,
  'Stripe live': `sk_live_${random.string(24)}`,
  'Stripe restricted': `rk_live_${random.string(24)}`,
  Shopify: `shpat_${random.string(32, HEX)}`,
  Square: `sq0atp-${random.string(22)}`,
  Linear: `lin_api_${random.string(40)}`,
  Notion: `ntn_${random.string(46)}`,
  Grafana: `glsa_${random.string(32)}_${random.string(8, HEX)}`,
  Postman: `PMAK-${random.string(24, HEX)}-${random.string(34, HEX)}`,
  'Gatehouse key': `gk_${random.string(43)}`,
  'Gatehouse admin': `ga_${random.string(43)}`,
  'Gatehouse user': `gu_${random.string(43)}`,
})

export const makeTokens = (random: Random): Readonly<Record<string, string>> => ({
  JWT: `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI${random.string(20)}.${random.string(43)}`,
  bearer: `Authorization: Bearer ${random.string(40)}`,
  basic: `Authorization: Basic ${random.string(24)}==`,
  'password = …': `password = ${random.string(4)}7${random.string(3)}`,
  'PASSWORD=…': `DB_PASSWORD=${random.string(5)}!${random.string(5)}`,
  'quoted password': `"password": "${random.string(5)}!${random.string(5)}"`,
  'api_key: …': `api_key: '${random.string(16)}4x${random.string(8)}'`,
  'client secret': `client_secret=${random.string(16)}9z${random.string(16)}`,
  'token in a URL': `https://api.example.com/v1?access_token=${random.string(16)}7k${random.string(16)}&page=1`,
  'said password': `my password is ${random.string(4)}8${random.string(4)}`,
  'XML password': `<password>${random.string(4)}5${random.string(6)}</password>`,
  flag: `--password ${random.string(4)}3${random.string(6)}`,
})

export const makeConnectionStrings = (random: Random): Readonly<Record<string, string>> => {
  const password = `${random.string(5)}7${random.string(6)}`
  return {
    PostgreSQL: `postgres://app:${password}@db.internal:5432/orders?sslmode=require`,
    MySQL: `mysql://root:${password}@10.0.0.5/shop`,
    MongoDB: `mongodb+srv://app:${password}@cluster0.abcde.mongodb.net/test`,
    Redis: `redis://:${password}@cache:6379/0`,
    AMQP: `amqps://guest:${password}@rabbit/vhost`,
    'JDBC URL': `jdbc:sqlserver://db:1433;database=crm;user=app;password=${password};encrypt=true`,
    'SQL Server': `Server=tcp:db.example.com,1433;Initial Catalog=crm;User ID=app;Password=${password};`,
    ODBC: `Driver={ODBC Driver 18};Server=db;Database=crm;Uid=app;Pwd=${password}`,
    'Azure storage': `DefaultEndpointsProtocol=https;AccountName=files;AccountKey=${random.string(86)}==;EndpointSuffix=core.windows.net`,
    'Azure bus': `Endpoint=sb://bus.servicebus.windows.net/;SharedAccessKeyName=root;SharedAccessKey=${random.string(43)}=`,
    HTTP: `https://deploy:${password}@git.example.com/app.git`,
  }
}

const pem = (label: string, random: Random): string => {
  const body = Array.from({ length: 4 }, () => random.string(64)).join('\n')
  return [`-----BEGIN ${label}-----`, body, `-----END ${label}-----`].join('\n')
}

export const makePrivateKeys = (random: Random): Readonly<Record<string, string>> => ({
  'PKCS #8': pem('PRIVATE KEY', random),
  encrypted: pem('ENCRYPTED PRIVATE KEY', random),
  RSA: pem('RSA PRIVATE KEY', random),
  EC: pem('EC PRIVATE KEY', random),
  OpenSSH: pem('OPENSSH PRIVATE KEY', random),
  OpenPGP: pem('PGP PRIVATE KEY BLOCK', random),
  'in JSON': pem('PRIVATE KEY', random).replaceAll('\n', '\\n'),
  'cut off': pem('RSA PRIVATE KEY', random).slice(0, 150),
})

/** Texts that look like secrets but are not. */
export const makeDecoys = (random: Random): Readonly<Record<string, string>> => ({
  UUID: `id ${random.string(8, HEX)}-${random.string(4, HEX)}-4${random.string(3, HEX)}-8${random.string(3, HEX)}-${random.string(12, HEX)}`,
  'commit hash': `see commit ${random.string(40, HEX)}`,
  sha256: `sha256:${random.string(64, HEX)}`,
  integrity: `integrity sha512-${random.string(86)}==`,
  'data URL': `data:image/png;base64,iVBORw0KGgo${random.string(200)}`,
  'public key': `-----BEGIN PUBLIC KEY-----\n${random.string(64)}\n-----END PUBLIC KEY-----`,
  certificate: `-----BEGIN CERTIFICATE-----\n${random.string(64)}\n-----END CERTIFICATE-----`,
  'ssh public key': `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5${random.string(48)} jane`,
  'publishable key': `pk_live_${random.string(24)}`,
  'environment variable': 'password = process.env.DB_PASSWORD_2',
  template: `password: \${{ secrets.DB_PASSWORD }}`,
  placeholder: 'api_key = "your-api-key-here"',
  masked: 'password=********',
  type: 'password: string; token: string | null',
  call: 'token = await getToken(user1)',
  sentence: 'The password is required and must have 8 characters.',
  'form label': 'Password: required field',
  'secret name': 'secretName: db-credentials-v2',
  'path to a key': 'ssl_key: /etc/ssl/private/server1.key',
  'URL without password': 'https://user@example.com:8080/path?next=/home',
  'URL template': `postgres://\${DB_USER}:\${DB_PASS}@localhost/app`,
  'CSS class': 'class="sk-circle-fade-dot-animation sk-chase-dot"',
  'made-up word': 'bafokilevu tuzarimo password kelivado token minoratu',
  'key talk': 'A file that starts with -----BEGIN PRIVATE KEY----- is a key.',
  count: 'max_tokens=4096&prompt_tokens=120000000000',
  'long identifier': 'com.example.application.service.UserAuthenticationTokenProviderFactory2',
  slug: 'https://example.com/blog/how-to-rotate-your-api-key-in-5-minutes',
})
