import { describe } from 'vitest'
import { finds, letsPass } from '../../../../test/support/classification/finding-tables.ts'

const spaced = (digits: string, separator: string): string => [...digits].join(separator)
const CARD = '4111111111111111'

describe('phone: separators with spaces', () => {
  finds('pii.phone', [
    ['Tel. 030 / 12 34 56 78', '030 / 12 34 56 78'],
    ['Tel.: 089 / 1234567', '089 / 1234567'],
    ['Mobil +49 (0)176 / 123 456 78', '+49 (0)176 / 123 456 78'],
    ['Fax 0711 - 2345678', '0711 - 2345678'],
    ['(030) - 123 45 67', '(030) - 123 45 67'],
    ['+49 (30) / 123 456 78', '+49 (30) / 123 456 78'],
    ['Fax: +49 / 711 / 2345678', '+49 / 711 / 2345678'],
    ['Phone: 555 - 123 - 4567', '555 - 123 - 4567'],
    ['Tel: 05121 / 12345', '05121 / 12345'],
    ['Tel. 030 1234567 / 0171 2345678', '030 1234567', '0171 2345678'],
  ])
  letsPass([
    ...['on 2024 - 03 - 12 at 10:00', '12 / 03 / 2024 and 11 / 04 / 2025', 'Seats 12 - 15 / 20 - 22 / 30 - 33'],
    ...['1 - 2 - 3 - 4 - 5 - 6 - 7 - 8 - 9 - 10', 'Open 0900 - 1730'],
  ])
})

describe('phone: labels of other scripts and languages', () => {
  finds('pii.phone', [
    ['電話番号: 09012345678', '09012345678'],
    ['携帯:08012345678', '08012345678'],
    ['携帯番号は09012345678です', '09012345678'],
    ['FAX番号:0312345678', '0312345678'],
    ['TEL：09012345678', '09012345678'],
    ['我的电话号码是13812345678', '13812345678'],
    ['联系电话 138 1234 5678', '138 1234 5678'],
    ['手机号码为13812345678。', '13812345678'],
    ['手機：0912345678', '0912345678'],
    ['전화번호는 01012345678입니다', '01012345678'],
    ['연락처: 01012345678', '01012345678'],
    ['телефон: 1234567', '1234567'],
    ['Telefonszám: 1234567', '1234567'],
  ])
  letsPass(['订单号13812345678', '订单编号：13812345678', '注文番号: 09012345678', '주문번호: 01012345678'])
})

describe('phone: amounts, nouns and columns are no numbers', () => {
  letsPass([
    ...['Free cash flow: +49 500 000 EUR (prior year +43 200 000 EUR)', 'Net cash moved by +50 000 000 CZK'],
    ...['Umsatz +12 500 000 Euro', 'up +49 512 300 USD', 'EUR +49 512 300', 'Result: +33 250 000 €'],
    ...['Volume +44 120 500 units', 'function call 4815162 failed', 'The text 1234567 was not found'],
    ...['Call 4815162 failed with code 3', 'The call 4815162 took 3 s', 'system call 1234567', 'Turin 310 420 2025'],
  ])
  finds('pii.phone', [
    ['+49 171 234 567', '+49 171 234 567'],
    ['+48 501 234 567', '+48 501 234 567'],
    ['Tel +49 500 000', '+49 500 000'],
    ['Please call 1234567 now', '1234567'],
    ['call 1234567 or text 2345678', '1234567', '2345678'],
    ['You can reach us at 5551234', '5551234'],
    ['Tickets by calling 732-0831', '732-0831'],
    ['Dial 1234567', '1234567'],
  ])
})

describe('national ids: official names and other spellings', () => {
  finds('pii.national_id', [
    ['個人番号：1234 5678 9018', '1234 5678 9018'],
    ['私のマイナンバーは123456789018です', '123456789018'],
    ['身份证号码：11010519491231002X', '11010519491231002X'],
    ['주민등록번호는 9001011234567입니다', '9001011234567'],
    ['運転免許証番号：123456789012', '123456789012'],
    ['IdNr 86095742719', '86095742719'],
    ['Id.-Nr. 86095742719', '86095742719'],
    ['meine IdNr. lautet 86 095 742 719', '86 095 742 719'],
    ['Identifikationsnummer: 86095742719', '86095742719'],
    ['Steuerliche Identifikationsnummer 86095742719', '86095742719'],
    ['Steuer-IdNr.: 86095742719', '86095742719'],
    ['St.-Nr. 133/8150/8159', '133/8150/8159'],
    ['StNr 133/8150/8159', '133/8150/8159'],
    ['Steuer-Nr. 133/8150/8159', '133/8150/8159'],
    ['Unique Taxpayer Reference: 1234567890', '1234567890'],
    ['Numéro fiscal : 1234567890123', '1234567890123'],
    ['Número de identificação fiscal 123456789', '123456789'],
    ['vergi kimlik no 1234567890', '1234567890'],
    ['adóazonosító jel: 8123456789', '8123456789'],
    ['ИНН 500100732259', '500100732259'],
    ['СНИЛС 112-233-445 95', '112-233-445 95'],
    ['2345-6789-0124', '2345-6789-0124'],
    ['2345 6789 0124', '2345 6789 0124'],
    ['SSN 364 21 3719', '364 21 3719'],
    ['my social security number is 364 21 3719', '364 21 3719'],
  ])
  letsPass([
    ...['Munich 310 42 2025', 'Hall 7  120 45 2024', '364 21 3719', '2020 2021 2022'],
    ...['Fahrzeug-Identifikationsnummer: 86095742719', 'Identifikationsnummer: 12345678901', 'Kunden-IdNr 4711001'],
    ...['Rechnungsnr. 2024/1234/5678', 'run 123456789', 'see RFC 9110 53210'],
  ])
})

describe('IP: versions of browsers are no addresses', () => {
  letsPass([
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
    ...['Edg/129.0.0.0', 'OPR/115.0.0.0', 'HeadlessChrome/120.0.1.0', 'SamsungBrowser/23.0.1.1'],
    ...['"Google Chrome";v="131.0.1.2"', 'Microsoft Edge 129.0.2.3', 'Network 10.0.0.0/8'],
  ])
  finds('pii.ip', [
    ['connected to db.internal/10.2.3.4:5432', '10.2.3.4'],
    ['connected to db1/10.2.3.4', '10.2.3.4'],
    ['http://192.168.1.7/', '192.168.1.7'],
  ])
})

describe('person: things with a name', () => {
  letsPass([
    ...['{"sku":"A-100","name":"Coffee Maker","price":49.9}', '{"id":7,"name":"Monthly Report","owner":"finance"}'],
    ...['name: Blue Widget', 'name: Garden Hose', 'Name: Green Chair', '{"name":"Zentrallager Nord","type":"warehouse"}'],
    ...['{"name":"Kaffee Maschine","preis":49}', '{"name":"Rapport Mensuel"}', '{"name":"Project Phoenix"}'],
    ...['{"name":"Nightly Linux","runs-on":"ubuntu"}', '{"name":"San Francisco","country":"US"}', 'Prompt Name: Food Scout'],
    'Customer: Siemens, Bosch and others',
  ])
  finds('pii.person', [
    ['{"name":"Jane Doe"}', 'Jane Doe'],
    ['{"name":"Ludovika Brandhuber","role":"admin"}', 'Ludovika Brandhuber'],
    ['Name: Ludovika Brandhuber', 'Ludovika Brandhuber'],
    ['Name: Bill Gates', 'Bill Gates'],
    ['MY_NAME="Wade Wilson"', 'Wade Wilson'],
  ])
})

describe('person: family name before given name', () => {
  finds('pii.person', [
    ['Patient: Meier, Anna', 'Meier, Anna'],
    ['Patient: MEIER, ANNA, ward 3', 'MEIER, ANNA'],
    ['Patient: Müller, Ludovika (ward 3)', 'Müller, Ludovika'],
    ['Name: Doe, Jane', 'Doe, Jane'],
    ['Name: García López, María', 'García López, María'],
    ['Name (Last, First): Doe, Jane', 'Doe, Jane'],
    ['Nachname, Vorname: Meier, Anna', 'Meier, Anna'],
    ['Customer: Smith, John', 'Smith, John'],
    ['Attn: Meier, Anna', 'Meier, Anna'],
    ['{"patient": "Meier, Anna"}', 'Meier, Anna'],
    ["Patient: O'Neill, Mary-Kate", "O'Neill, Mary-Kate"],
    ['Patient: Müller, Berlin ist weit', 'Müller'],
    ['Patient: Meier, Anna, geb. 03.04.1981', 'Meier, Anna', '03.04.1981'],
  ])
})

describe('payment card: digits apart', () => {
  finds('pii.card', [
    ...['.', '/', ' / ', '\n', '  ', ', ', '_', '|', ' - ', '\r\n'].map((separator): [string, string] => {
      const number = ['4111', '1111', '1111', '1111'].join(separator)
      return [number, number]
    }),
    ...[' ', '.', '-', ', ', '\n'].map((separator): [string, string] => [
      `my card ${spaced(CARD, separator)} ok`,
      spaced(CARD, separator),
    ]),
    ['4111 1111\n1111 1111', '4111 1111\n1111 1111'],
    ['card 41111111\n11111111', '41111111\n11111111'],
    ['3782/822463/10005', '3782/822463/10005'],
    ['4111 1111 1111 1111 123', '4111 1111 1111 1111'],
    ['4111/1111/1111/1111 12/27 123', '4111/1111/1111/1111'],
    ['1234 4111 1111 1111 1111', '4111 1111 1111 1111'],
  ])
  letsPass([
    ...['41111111\n11111111', '0 1 1 0 1 0 0 1 1 0 1 0 1 1 0 1', '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16'],
    ...['2020\n2021\n2022\n2023', '20240115\n20240116', '4 8 15 16 23 42'],
  ])
})

describe('IBAN: groups over a line end, other separators, look-alike letters', () => {
  finds('pii.iban', [
    ['DE89 3704 0044\n0532 0130 00', 'DE89 3704 0044\n0532 0130 00'],
    ['DE89\r\n3704 0044 0532 0130 00', 'DE89\r\n3704 0044 0532 0130 00'],
    ['GB82 WEST 1234\n5698 7654 32 and more', 'GB82 WEST 1234\n5698 7654 32'],
    ['DE89.3704.0044.0532.0130.00', 'DE89.3704.0044.0532.0130.00'],
    ['IBAN DE 89 3704 0044 0532 0130 00', 'DE 89 3704 0044 0532 0130 00'],
    ['D\u041589370400440532013000', 'D\u041589370400440532013000'],
    ['\u0421\u041d9300762011623852957', '\u0421\u041d9300762011623852957'],
    ['GB82 W\u0415ST 1234 5698 7654 32', 'GB82 W\u0415ST 1234 5698 7654 32'],
    ['NL91ABNA0417164300\nthanks', 'NL91ABNA0417164300'],
  ])
})
