import { labels } from '../text/label.ts'

/** Names of documents and numbers of persons, as their forms, laws and offices call them. */
export const LABELS = labels(
  `ssn, itin, tin, social security, social insurance, sin, national insurance, nino, ni, nhs, medicare, medicaid, tfn, tax file,
  tax id, taxid, tax identification, tax identifier, tax reference, taxpayer reference, unique taxpayer, utr, ppsn, pps, taxpayer id,
  taxpayer identification, passport, passeport, pasaporte, passaporto, reisepass, reisepassnummer, passnummer, paspoort, paszport,
  паспорт, паспорта, driver licence, driver license, drivers licence, drivers license, driver s licence, driver s license,
  driving licence, driving license, dl, führerschein, führerscheinnummer, permis de conduire, national id, national identity,
  national identification, identity card, id card, identification card, personalausweis, personalausweisnummer, ausweisnummer,
  ausweis nr, steuer id, steuer idnr, steuerid, steueridnr, steueridentifikationsnummer, steuer identifikationsnummer,
  steuerliche identifikationsnummer, steuerliche idnr, steuerl idnr, persönliche identifikationsnummer, steuernummer, steuer nr, steuernr,
  st nr, stnr, wirtschafts idnr, sozialversicherungsnummer, sozialversicherungs nr, versicherungsnummer, rentenversicherungsnummer, sv nummer,
  sv nr, svnr, rvnr, ahv, ahv nr, avs, sécurité sociale, nir, insee, numéro fiscal, identification fiscale, identifiant fiscal, número fiscal,
  dni, nie, nif, nuss, niss, identificación fiscal, identificação fiscal, contribuinte, contribuyente, identificación tributaria, cédula,
  cedula, curp, rut, ruc, cpf, rg, cuil, cuit, codice fiscale, carta d identità, tessera sanitaria, bsn,
  burgerservicenummer, sofinummer, fiscaal nummer, rijksregisternummer, registre national, numéro national, personnummer,
  samordningsnummer, fødselsnummer, fodselsnummer, cpr, henkilötunnus, hetu, isikukood, asmens kodas, personas kods, pesel, nip,
  identyfikacji podatkowej, dowód osobisty, dowodu osobistego, rodné číslo, rodne cislo, rodného čísla, občanský průkaz, daňové identifikační číslo, dič, cnp, egn,
  егн, oib, jmbg, emšo, davčna številka, adóazonosító, adóazonosító jel, taj, tckn, tc kimlik, t c kimlik, kimlik, vergi kimlik, vkn,
  инн, снилс, рнокпп, іпн, налогоплательщика, αφμ, αμκα, aadhaar, aadhar, uidai, आधार, pan, पैन, voter id, nric, fin, hkid, mykad, rrn, my number,
  resident identity, รหัสประจำตัวประชาชน, رقم الهوية, الهوية, תעודת זהות, 身份证, 身分證, 身份證, 居民身份证, 公民身份, 身份号码, 护照, 護照, マイナンバー, 個人番号, パスポート,
  旅券, 運転免許証, 免許証, 基礎年金, 被保険者, 在留カード, 주민등록번호, 주민등록, 외국인등록번호, 여권, 여권번호, 운전면허, green card, alien registration, ni number`,
  `number numbers no nr num nummer número numero n numéro is it the my your his her our their was are ist lautet est es é di de details
  code pps card holder номер серия číslo numer numarası numarasi no' szám szama für des 番号 号码 號碼 号 號 字號 是 为 為 は が です の 证 번호 는 은 이 가 संख्या नंबर`,
)

/** Labels of many kinds of numbers. The number must be a German tax number. */
export const WEAK_LABELS = labels(
  'idnr, id nr, identifikationsnummer, identifikations nr, id nummer, identnummer',
  'lautet ist meine ihre seine die der',
  'fahrzeug produkt geräte kunden artikel',
)
