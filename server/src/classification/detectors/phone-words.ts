import { labels } from '../text/label.ts'

const FILLERS = `number numbers no nr num nummer número numero n is it at us on the my your his her our their this under unter al au le
  el was are to via by or and please now back directly toll free direct work home office business ist lautet est es é der die meine
  mein customer support service desk team line numéro номер numer číslo numara numarası szám 番号 号码 號碼 号 號 是 为 為 は が です の 的 联系 聯絡
  連絡 번호 는 은 이 가 नंबर`
/** Nouns that announce a telephone number. */
export const LABELS = labels(
  `phone, phones, telephone, tel, telefon, telefono, teléfono, téléphone, telefone, telefoon, telefonnr, telnr, fon, fono, mobile, mobil,
  mobiel, mobilnummer, mobilnr, mobiltelefon, cell, cellphone, cellular, handy, handynummer, handynr, rufnummer, telefonnummer,
  telefoonnummer, durchwahl, festnetz, portable, gsm, celular, móvil, cellulare, telemóvel, fax, telefax, faxnummer, whatsapp, sms, viber,
  hotline, helpline, landline, switchboard, pager, tlf, mob, komórka, telefonszám, puhelin, puh, matkapuhelin, τηλέφωνο, τηλ, κινητό,
  телефон, телефона, тел, моб, мобильный, мобільний, факс, điện thoại, sđt, telepon, telefonu, cep, โทร, โทรศัพท์, फ़ोन, फोन, मोबाइल, هاتف,
  الهاتف, جوال, الجوال, טלפון, נייד, 电话, 手机, 電話, 手機, 携帯, 携帯電話, 座机, 传真, 傳真, 热线, 熱線, ファックス, ファクス, スマホ, 연락처, 전화, 휴대폰, 핸드폰, 휴대전화, 팩스`,
  FILLERS,
)
/** Verbs that ask for a call. The same words are nouns: `function call 4815162`, `the text 1234567`. */
export const VERBS = labels('call, calling, called, dial, ring, text, reach, answering', `${FILLERS} me him her them`)
/** A request: the verb starts a sentence, or follows a word that introduces one, or names whom to call. */
export const REQUEST =
  /(?:(?:^|[.!?:;,("'\n-]\s*|\b(?:please|to|by|or|can|could|should|must|may|just|and|then|you|we|i|they|he|she|pls|always|never|now|also|so|kindly|simply)\s+)(?:call|calling|called|dial|ring|text|reach|answering)|\b(?:call|calling|called|dial|ring|text|reach|answering)\s+(?:me|us|him|her|them|back|at|our|my|his|their|your|toll)\b)[^.!?\d\n]{0,30}$/i
export const REQUEST_REACH = 60
/** After a verb's number, these words show that the verb was a noun. */
export const REPORTED =
  /,? (?:was|is|were|are|has|had|failed|fails|returned|returns|took|takes|ended|ends|timed|not|does|did|could|cannot|exceeded|succeeded|completed|crashed|times?|and failed|with (?:status|code|error|exit))\b/iy
