import { describe } from 'vitest'
import { finds, letsPass } from '../../../../test/support/classification/finding-tables.ts'

describe('e-mail', () => {
  finds('pii.email', [
    ['Write to jane.doe+work@mail.example.co.uk, please', 'jane.doe+work@mail.example.co.uk'],
    ['<jürgen@müller.de>', 'jürgen@müller.de'],
    ['JANE@EXAMPLE.COM.', 'JANE@EXAMPLE.COM'],
    ['mailto:jane@example.com?subject=x', 'jane@example.com'],
    ['邮箱是jane@example.cn。', 'jane@example.cn'],
    ['jane (at) example (dot) com', 'jane (at) example (dot) com'],
    ["a@b.co;o'neill@c.org", 'a@b.co', "o'neill@c.org"],
  ])
  letsPass([
    ...['icon@2x.png', 'npm install react@18.2.0', 'git@github.com:owner/repository.git', 'follow @jane on example.com'],
    ...['@jane@mastodon.social', 'a @ b', 'user@localhost', '@Component({ selector: "x" })'],
  ])
})

describe('phone', () => {
  finds('pii.phone', [
    ['Call +49 30 1234567 now', '+49 30 1234567'],
    ['(202) 555-0123 or 202-555-0199', '(202) 555-0123', '202-555-0199'],
    ['+1-203-305-2492x5662', '+1-203-305-2492x5662'],
    ['fax 0044 20 7946 0958', '0044 20 7946 0958'],
    ['Tel.: 030/1234567', '030/1234567'],
    ['06 12 34 56 78', '06 12 34 56 78'],
    ['01.23.45.67.89 or +44(0)1234 567890', '01.23.45.67.89', '+44(0)1234 567890'],
    ['(011) 1234-5678', '(011) 1234-5678'],
    ['my number: call me at 75 196 772', '75 196 772'],
    ['Telefon: 1234567', '1234567'],
    ['phone="2025550123"', '2025550123'],
    ['+１ ２０２ ５５５ ０１２３', '+１ ２０２ ５５５ ０１２３'],
  ])
  letsPass([
    ...['order 2025550123', 'on 2024-01-15 at 12:30', 'on 01.02.1980 10 20 30 40', 'version 1.2.3-456', '$1,234,567.89'],
    ...['between 100 and 2000 or 1234567', 'ISBN 978-3-16-148410-0', 'id 123456789012345678'],
  ])
})

describe('payment card', () => {
  finds('pii.card', [
    ['4111 1111 1111 1111', '4111 1111 1111 1111'],
    ['card 5555555555554444.', '5555555555554444'],
    ['3782-822463-10005', '3782-822463-10005'],
    ['6011.1111.1111.1117', '6011.1111.1111.1117'],
    ['my card is 4111–1111–1111–1111', '4111–1111–1111–1111'],
    ['my credit card 4222222222222 was lost', '4222222222222'],
    ['２２２３ ００００ ４８４０ ００１１', '２２２３ ００００ ４８４０ ００１１'],
  ])
  letsPass([
    ...['barcode 4006381333931', '4111 1111 1111 1112', '1234567812345670', '41111111111111111111', '1700000000000'],
    'sha 4111111111111111ab',
  ])
})

describe('IBAN', () => {
  finds('pii.iban', [
    ['DE89 3704 0044 0532 0130 00 is mine', 'DE89 3704 0044 0532 0130 00'],
    ['gb82west12345698765432', 'gb82west12345698765432'],
    ['IBAN:NL91-ABNA-0417-1643-00', 'NL91-ABNA-0417-1643-00'],
  ])
  letsPass(['DE89 3704 0044 0532 0130 01', 'DE8937040044053201300012', 'ZZ89370400440532013000'])
})

describe('national ids', () => {
  finds('pii.national_id', [
    ['364-21-3719', '364-21-3719'],
    ['SSN: 364213719', '364213719'],
    ['QQ? no, AB 12 34 56 C', 'AB 12 34 56 C'],
    ['1 85 05 78 006 084 91', '1 85 05 78 006 084 91'],
    ['DNI 12345678Z', '12345678Z'],
    ['X1234567L', 'X1234567L'],
    ['RSSMRA85T10A562S', 'RSSMRA85T10A562S'],
    ['86 095 742 719', '86 095 742 719'],
    ['111.444.777-35', '111.444.777-35'],
    ['756.9217.0769.85', '756.9217.0769.85'],
    ['811218-9876', '811218-9876'],
    ['131052-308T', '131052-308T'],
    ['2341 2341 2346', '2341 2341 2346'],
    ['S1234567D', 'S1234567D'],
    ['12.345.678-5', '12.345.678-5'],
    ['BSN 123456782', '123456782'],
    ["driver's license number is LH329609T", 'LH329609T'],
    ['Passport no.: C01X00T47', 'C01X00T47'],
    ['Steuer-ID: 12345678901', '12345678901'],
    ['Steuer-ID 12345678901', '12345678901'],
    ['my tax ID 912345678', '912345678'],
    ['my tax id 912345678', '912345678'],
    ['National ID 12345678', '12345678'],
    ['Voter ID 1234567', '1234567'],
    ['RG 12345678', '12345678'],
    ['DL 12345678', '12345678'],
    ['passport NO 123456789', '123456789'],
    ['SSN IS 912345678', '912345678'],
    ['passport ID 12345678', '12345678'],
    ['passport GB 12345678', 'GB 12345678'],
  ])
  letsPass([
    ...['000-12-3456', '666-12-3456', '123456782', '12345678A', 'the order id is 123456789', 'order ID 123456789'],
    ...['ID 123456789', 'invoice NO 123456789', 'flight GB 12345678', 'DL 1234', 'S1234567A', '811218-9875'],
    ...['software license 12345-67890', '2341 2341 2347'],
  ])
})

describe('IP', () => {
  finds('pii.ip', [
    ['from 10.218.6.131 port 22', '10.218.6.131'],
    ['http://192.168.1.7:8080/', '192.168.1.7'],
    ['2001:db8::8a2e:370:7334', '2001:db8::8a2e:370:7334'],
    ['[fe80::1ff:fe23:4567:890a]', 'fe80::1ff:fe23:4567:890a'],
    ['address 1.2.3.4', '1.2.3.4'],
    ['server 192.168.10.5', '192.168.10.5'],
    ['database server: 10.20.30.40:5432', '10.20.30.40'],
    ['Server=10.1.2.3', '10.1.2.3'],
    ['SMTP server 192.0.2.25', '192.0.2.25'],
    ['proxy server 172.20.1.9 refused', '172.20.1.9'],
    ['nameserver: 10.0.0.53', '10.0.0.53'],
    ['resolver 10.1.2.3', '10.1.2.3'],
    ['webserver 10.1.2.3', '10.1.2.3'],
    ['configure 10.1.2.3', '10.1.2.3'],
    ['routing table: 10.1.2.3', '10.1.2.3'],
  ])
  letsPass([
    ...['version 10.12.13.14', 'v1.22.33.44', 'see section 1.2.3.4', 'version 1.2.3.4', 'ver 1.2.3.4', 'ver. 10.12.13.14'],
    ...['server version 10.12.13.14', 'FileVersion: 10.12.13.14', 'app_ver=10.12.13.14', 'latest stable: 10.12.13.14'],
    ...['see table 1.2.3.4', 'see table 10.1.2.3', 'Figure 10.1.2.3', 'section 10.1.2.3', '§ 10.1.2.3', '§10.1.2.3'],
    ...['127.0.0.1', '255.255.255.0', '0.0.0.0', '::1', '12:30:45', 'std::vector<a::b>', '1.2.3.4.5', '256.1.1.1'],
    '00:1a:2b:3c:4d:5e',
  ])
})

describe('person', () => {
  finds('pii.person', [
    ['Name: Jane Doe', 'Jane Doe'],
    ['{"first_name": "Jane", "lastName": "Doe"}', 'Jane', 'Doe'],
    ['Patient: Müller, age 50', 'Müller'],
    ['I spoke to Mr. John Smith and Dr. García', 'John Smith', 'García'],
    ['Hi, my name is Zoë and I need help', 'Zoë'],
    ['Ich heiße Jürgen Klein', 'Jürgen Klein'],
    ["je m'appelle Anne-Marie", 'Anne-Marie'],
    ['her maiden name is Nardone', 'Nardone'],
    ['Customer: Ludwig van Beethoven\nPhone: -', 'Ludwig van Beethoven'],
    ["What's your name? Rebecca Gairbekov", 'Rebecca Gairbekov'],
    ['Dear Jane Doe,\nthank you.\nKind regards,\nJohn Q. Public', 'Jane Doe', 'John Q. Public'],
    ['DOB: 3/4/1980', '3/4/1980'],
    ['date of birth is 12 May 1980', '12 May 1980'],
    ['geboren am 1.2.1980', '1.2.1980'],
  ])
  letsPass([
    ...['Product name: Super Cleaner', 'name: my-service', '- name: Install Dependencies', 'Customer: Acme Corp'],
    ...['Contact: Sales Team', 'Host name: Alpha Centauri', 'the file name is README', 'Name: SmartHome Mini'],
    ...['Paris is the capital of France', 'Thank you. Miss You!', 'Dr. Pepper'],
    ...['Dear Hiring Manager,\nI apply.\nBest wishes,\nThe Support Team', 'Einstein was born on 14 March 1879'],
    'due date: 3/4/2025',
  ])
})
