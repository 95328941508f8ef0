import { describe } from 'vitest'
import { finds, letsPass } from '../../../../test/support/classification/finding-tables.ts'
import { Random } from '../../../../test/support/classification/random.ts'

const random = new Random(11)
const PASSWORD = `Tr4uben${random.string(6)}9`
const KEY = `sk-proj-${random.string(40)}`
/** `§` stands for the password. */
const findsPassword = (texts: readonly string[]): void =>
  finds(
    'secret.token',
    texts.map((text) => [text.replace('§', PASSWORD), PASSWORD]),
  )

describe('passwords in commands', () => {
  findsPassword([
    "sshpass -p '§' ssh build",
    'sshpass -p§ ssh build',
    'SSHPASS=§ sshpass -e ssh build',
    'curl -u admin:§ https://api.example.com/v1/jobs',
    "curl --user 'admin:§' https://api.example.com",
    'curl -sSu admin:§ https://api.example.com',
    'curl -X POST \\\n  -u admin:§ \\\n  https://api.example.com',
    'http -a ann:§ example.com',
    'wget --http-password=§ https://example.com',
    'redis-cli -h cache -a § ping',
    'redis-cli --pass §',
    'mysql -u root -p§ orders',
    'mysqldump -uroot -p§ --all-databases',
    'MYSQL_PWD=§ mysql',
    'PGPASSWORD=§ psql -h db',
    'docker login -u deploy -p § registry.example.com',
    'podman login --password § registry.example.com',
    'echo § | docker login -u deploy --password-stdin',
    "echo '§' | sudo -S apt update",
    'mongosh -u root -p §',
    'sqlcmd -S db -U sa -P §',
    'sqlplus scott/§@db',
    'smbclient //h/s -U ann%§',
    'lftp -u ann,§ ftp.example.com',
    'ldapsearch -D cn=admin -w § -b dc=x',
    '7z x a.7z -p§',
    'unzip -P § a.zip',
    'openssl enc -d -pass pass:§',
    'keytool -list -storepass §',
    'htpasswd -nb ann §',
    "ssh-keygen -t rsa -N '§' -f key",
    'helm upgrade app --db-password §',
  ])
  finds('secret.token', [['redis-cli -a swordfish ping', 'swordfish']])
  letsPass([
    ...['mysql -u root -p orders', 'mysql -h db -P3306 -u root -p', 'docker run -p 8080:80 nginx'],
    ...['curl -u admin https://api.example.com', `curl -u $USER:$PASS https://api.example.com`],
    ...['curl -u "$' + '{USER}:$' + '{PASS}" https://api.example.com', 'curl -u user:password https://api.example.com'],
    ...['docker login -u myuser -p mypassword', "ssh-keygen -t rsa -N '' -f key", 'mkdir -p build/output2'],
    'curl is a tool - it reads URLs',
  ])
})

describe('lines of credentials', () => {
  findsPassword([
    'machine api.example.com login deploy password §',
    'machine api.example.com\n  login deploy\n  password §\n',
    'default login anonymous password §',
    'username admin password 0 §',
    'db.internal:5432:orders:app:§',
    '*:*:*:app:§',
    "CREATE USER app IDENTIFIED BY '§'",
    "ALTER USER app WITH PASSWORD '§'",
    "SET PASSWORD FOR app = '§'",
  ])
  letsPass([
    ...['src/app.ts:1024:foo:bar:baz1x', 'fe80:1234:abcd:ef12:5678', '12:30:45:67:89', 'main.c:1205:5: error: expected x1'],
    ...['authentication based on username and password *right now*', 'The login form has a password field2'],
  ])
})

describe('passwords with a purpose, and in other languages', () => {
  findsPassword([
    'пароль от стейджа: §',
    'пароль к базе данных: §',
    'Passwort für den Server: §',
    'password for the staging box: §',
    'Password (staging): §',
    'mot de passe du wifi : §',
    'contraseña del servidor: §',
    'senha do banco: §',
    'hasło do serwera: §',
    'heslo: §',
    'şifre: §',
    '密码：§',
    '服务器密码为 §',
    'パスワードは§です',
    '비밀번호는 §',
  ])
  letsPass(['密码长度8位', '密码必须包含 8characters', 'The password for the account must have at least: 8 characters'])
})

describe('texts of interfaces and positions in lists are no secrets', () => {
  letsPass([
    ...['{"login":{"title":"Anmelden","password":"Passwort","submit":"Weiter"}}', '{"password":"Contraseña"}'],
    ...['{"password":"パスワード"}', '{"password":"Heslo"}', '{"password":"Passwort*"}', '{"password":"Пароль"}'],
    ...['{"password":"비밀번호"}', '{"password":"Şifre"}', '{"resetPassword":"Zurücksetzen"}', '{"showPassword":"Anzeigen"}'],
    ...['{"confirm_password":"Wiederholen"}', "'password' => 'Adgangskode',"],
    ...['{"items":[],"nextPageToken":"CAUQAA3f8aKq91LmZx72"}', '{"continuation_token":"b3Jk7ZXItMjAyNi0xMS0yNw"}'],
    ...['{"NextToken":"b3Jk7ZXItMjAyNi0xMS0yNw"}', '{"nextSyncToken":"b3Jk7ZXItMjAyNi0xMS0yNw"}'],
    ...['GET /items?page_token=CAUQAA3f8aKq91LmZx72', '{"skipToken":"CAUQAA3f8aKq91LmZx72"}'],
    '{"cursor":"CAUQAA3f8aKq91LmZx72"}',
  ])
  finds('secret.token', [
    ['{"password":"hunter"}', 'hunter'],
    ['{"password":"Sommer2024"}', 'Sommer2024'],
    ['{"access_token":"CAUQAA3f8aKq91LmZx72"}', 'CAUQAA3f8aKq91LmZx72'],
    ['{"refreshToken":"CAUQAA3f8aKq91LmZx72"}', 'CAUQAA3f8aKq91LmZx72'],
    ['{"token":"CAUQAA3f8aKq91LmZx72"}', 'CAUQAA3f8aKq91LmZx72'],
  ])
})

describe('keys over line ends, and with look-alike letters', () => {
  const pieces = (separator: string): string => [KEY.slice(0, 14), KEY.slice(14, 30), KEY.slice(30)].join(separator)
  finds('secret.api_key', [
    ...['\n', '\r\n', '\n    ', '\\\n', '\n> '].map((separator): [string, string] => [
      `the key: ${pieces(separator)} ok`,
      pieces(separator),
    ]),
    [`use \u0455${KEY.slice(1)} now`, `\u0455${KEY.slice(1)}`],
  ])
  letsPass(['sk-\nsk-\nsk-\nsk-', 'task-\nforce sk-learn\nis a library'])
  finds('secret.token', [['p\u0430ssword: hunter22', 'hunter22']])
})
