import { describe, expect, test } from 'vitest'
import { encodeAs, utf16be } from '../../../../test/support/documents/encode.ts'
import { read } from '../../../../test/support/documents/read.ts'
import { DocumentError } from './document.ts'

/** A text of about 150 characters in each language, with charsets that its programs used. */
const TEXTS: Readonly<Record<string, readonly [charsets: string, text: string]>> = {
  German: [
    'windows-1252',
    'Die Reisekostenabrechnung ist bis zum Fünften des Folgemonats einzureichen. Für Übernachtungen gilt eine Obergrenze von 120 € je Nacht; größere Beträge müssen vorher genehmigt werden.',
  ],
  French: [
    'windows-1252',
    'Les employés doivent déposer leur demande de congé à l’avance. Le délai est de trois semaines après la réception de la réponse du service concerné, même en été.',
  ],
  Spanish: [
    'windows-1252',
    'El año próximo la compañía abrirá una oficina en España. La dirección enviará más información según avance la negociación con los dueños del edificio.',
  ],
  Swedish: [
    'windows-1252',
    'Både lärare och föräldrar får komma på mötet. Frågor om lön ställs till närmaste chef, som svarar så snart hen är på plats igen efter semestern.',
  ],
  Polish: [
    'windows-1250 iso-8859-2',
    'Pracownicy składają wniosek o urlop najpóźniej trzy tygodnie wcześniej. Źródło zasilania należy wyłączyć przed wymianą części, również w łączności i późną nocą.',
  ],
  Czech: [
    'windows-1250 iso-8859-2',
    'Příliš žluťoučký kůň úpěl ďábelské ódy. Zaměstnanci musí požádat o dovolenou nejpozději tři týdny předem a účtenky přiložit k vyúčtování.',
  ],
  Russian: [
    'windows-1251 koi8-r ibm866 iso-8859-5',
    'Срок хранения документов составляет пять лет со дня подписания договора. Сотрудники подают заявление на отпуск за три недели до его начала.',
  ],
  Ukrainian: [
    'windows-1251 koi8-u',
    'Строк зберігання документів становить пять років з дня підписання договору. Працівники подають заяву на відпустку за три тижні до її початку, якщо інше не узгоджено.',
  ],
  Bulgarian: [
    'windows-1251',
    'Срокът за съхранение на документите е пет години от датата на подписване на договора. Служителите подават молба за отпуск три седмици по-рано.',
  ],
  Greek: [
    'windows-1253 iso-8859-7',
    'Οι εργαζόμενοι υποβάλλουν αίτηση άδειας τρεις εβδομάδες νωρίτερα. Η προθεσμία διατήρησης των εγγράφων είναι πέντε χρόνια από την υπογραφή.',
  ],
  Turkish: [
    'windows-1254 iso-8859-9',
    'Çalışanlar izin başvurusunu üç hafta önceden yapmalıdır. Belgelerin saklama süresi sözleşmenin imzalandığı günden itibaren beş yıldır. Görüşme için müdürlüğe başvurunuz.',
  ],
  Hebrew: [
    'windows-1255',
    'העובדים מגישים בקשה לחופשה שלושה שבועות מראש. תקופת שמירת המסמכים היא חמש שנים מיום החתימה על החוזה.',
  ],
  Arabic: [
    'windows-1256',
    'يقدم الموظفون طلب الإجازة قبل ثلاثة أسابيع. مدة حفظ المستندات خمس سنوات من تاريخ توقيع العقد في مكتب الشركة.',
  ],
  Thai: ['windows-874', 'พนักงานต้องยื่นใบลาล่วงหน้าสามสัปดาห์ ระยะเวลาเก็บเอกสารคือห้าปีนับจากวันลงนามในสัญญา'],
  Japanese: [
    'shift_jis euc-jp',
    '社員は休暇の申請を三週間前までに提出してください。書類の保管期間は契約の締結日から五年です。受付は九時に始まります。カタカナのメニューもあります。',
  ],
  Korean: [
    'euc-kr',
    '직원은 휴가 신청서를 삼 주 전에 제출해야 합니다. 문서 보관 기간은 계약 체결일로부터 오 년입니다. 연차휴가는 열다섯 일입니다.',
  ],
  Chinese: ['gb18030', '员工须提前三周提交休假申请。文件的保存期限为自合同签订之日起五年。服务器部署在上海，端口由管理员分配。'],
  'traditional Chinese': [
    'big5',
    '員工須提前三週提交休假申請。文件的保存期限為自合約簽訂之日起五年。伺服器設置於臺北，連接埠由管理員分配。',
  ],
}

const CASES = Object.entries(TEXTS).flatMap(([language, [charsets, text]]) =>
  charsets.split(' ').map((charset) => ({ language, charset, text })),
)

/** The text that was read, or `refused`. */
const readOrRefused = (bytes: Uint8Array): Promise<string> =>
  read(bytes, 'a.txt').then(
    ({ markdown }) => markdown,
    (error: unknown) => {
      expect(error).toBeInstanceOf(DocumentError)
      expect((error as DocumentError).message).toContain('Save the file as UTF-8')
      return 'refused'
    },
  )

describe('a text without a stated charset', () => {
  test.each(CASES)('is read in $language as $charset, with a warning', async ({ charset, text }) => {
    const { markdown, warnings } = await read(encodeAs(charset, text), 'a.txt')
    expect(markdown).toBe(text)
    expect(warnings).toEqual([expect.stringMatching(/^charset [\w-]+$/)])
  })

  test.each(CASES)(
    'is read or refused, but never read wrongly, when its $language in $charset is short',
    async ({ charset, text }) => {
      const results = { right: 0, refused: 0, wrong: [] as string[] }
      for (let at = 0; at + 40 < text.length; at += 11) {
        const part = text.slice(at, at + 40).trim()
        const bytes = encodeAs(charset, part)
        if (bytes.every((byte) => byte < 0x80)) continue
        const markdown = await readOrRefused(bytes)
        if (markdown === part) results.right += 1
        else if (markdown === 'refused') results.refused += 1
        else results.wrong.push(markdown)
      }
      expect(results.wrong).toEqual([])
    },
  )

  test.each(CASES)('is found late in a long text: $language in $charset', async ({ charset, text }) => {
    const ascii = 'Line of plain text without any other letter.\n'.repeat(10_000)
    const { markdown } = await read(Buffer.concat([Buffer.from(ascii), encodeAs(charset, text)]), 'a.txt')
    expect(markdown.endsWith(text)).toBe(true)
  })

  test.each(Object.entries(TEXTS))('is read in %s as UTF-16 of both byte orders', async (_, [, text]) => {
    for (const [bytes, charset] of [
      [Buffer.from(text, 'utf16le'), 'utf-16le'],
      [utf16be(text), 'utf-16be'],
    ] as const)
      expect(await read(bytes, 'a.txt')).toMatchObject({ markdown: text, warnings: [`charset ${charset}`] })
  })

  test('is refused when it is too short to tell', async () => {
    for (const text of ['Дом', 'лес и дом', 'άδεια']) {
      expect(await readOrRefused(encodeAs(/[а-я]/.test(text) ? 'windows-1251' : 'windows-1253', text))).toBe('refused')
    }
  })

  test('keeps damaged UTF-8, with a warning', async () => {
    const bytes = Buffer.concat([Buffer.from('Grüße aus Köln, schöne Tage '), Buffer.from([0xff]), Buffer.from(' übrig')])
    expect(await read(bytes, 'a.txt')).toMatchObject({
      markdown: 'Grüße aus Köln, schöne Tage \ufffd übrig',
      warnings: ['charset utf-8'],
    })
  })

  test('is read as ISO-2022-JP by its escapes', async () => {
    const bytes = Buffer.from('abc \x1b$B<uIU$O6e;~$+$i!#\x1b(B', 'latin1')
    expect(await read(bytes, 'a.txt')).toMatchObject({ markdown: 'abc 受付は九時から。', warnings: ['charset iso-2022-jp'] })
  })
})

describe('a stated charset', () => {
  const russian = encodeAs('koi8-r', 'Дом')
  const page = (head: string) => Buffer.concat([Buffer.from(`${head}<p>`), russian, Buffer.from('</p>')])

  test.each([
    ['meta charset', '<!doctype html><html><head><meta charset="koi8-r"></head>'],
    ['meta charset without quotes', '<html><head><META CHARSET=KOI8-R></head>'],
    ['meta http-equiv', `<html><head><meta http-equiv="Content-Type" content="text/html; charset=koi8-r"></head>`],
    ['meta with the content first', `<html><head><meta content='text/html;charset=koi8-r' http-equiv=content-type></head>`],
    ['an XML declaration', '<?xml version="1.0" encoding="koi8-r"?><html>'],
    ['meta behind long comments', `<!-- ${'x'.repeat(1_500)} --><html><head><meta charset="koi8-r"></head>`],
    ['meta behind one in a comment', '<html><!-- <meta charset="big5"> --><meta charset="koi8-r">'],
  ])('is read from %s', async (_, head) => {
    expect(await read(page(head), 'a.html')).toMatchObject({ markdown: 'Дом', warnings: [] })
  })

  test('is read from the media type', async () => {
    expect(await read(russian, 'a.txt', 'text/plain; charset=koi8-r')).toMatchObject({ markdown: 'Дом', warnings: [] })
    expect(await read(utf16be('Дом'), 'a.txt', 'text/plain; charset=utf-16be')).toMatchObject({ markdown: 'Дом', warnings: [] })
    expect(await read(encodeAs('shift_jis', '受付'), 'a.txt', 'text/plain; charset=cp932')).toMatchObject({ markdown: '受付' })
  })

  test('is ISO-2022-JP, although its bytes are ASCII', async () => {
    const html = '<html><head><meta charset="iso-2022-jp"></head><body><p>\x1b$B<uIU$O6e;~$+$i!#\x1b(B</p></body></html>'
    expect(await read(Buffer.from(html, 'latin1'), 'a.html')).toMatchObject({ markdown: '受付は九時から。', warnings: [] })
  })

  test('is ignored when the file is UTF-8', async () => {
    expect((await read('<html><meta charset="windows-1252"><p>Grüße</p>', 'a.html')).markdown).toBe('Grüße')
  })

  test('is not taken from the text of a document that is not a page', async () => {
    const bytes = Buffer.concat([
      Buffer.from('Write <meta charset="big5">. '),
      encodeAs('windows-1252', 'Grüße, Öl und Bäume für später'),
    ])
    expect((await read(bytes, 'a.md')).markdown).toContain('Grüße, Öl und Bäume für später')
  })
})

describe('a byte order mark', () => {
  test.each([
    ['UTF-8', Buffer.from('\ufeffGrüße')],
    ['UTF-16, little endian', Buffer.from('\ufeffGrüße', 'utf16le')],
    ['UTF-16, big endian', utf16be('\ufeffGrüße')],
  ])('decides for %s', async (_, bytes) => {
    expect(await read(bytes, 'a.txt', 'text/plain; charset=big5')).toMatchObject({ markdown: 'Grüße', warnings: [] })
  })
})
