/** Classes of words, which all languages share, because an injection in German or Spanish has the structure of an English one. */
const CLASSES = {
  DISMISS: `disobey disobeying ignore ignoring disregard disregarding forget forgetting override overriding overrule neglect bypass dismiss abandon overlook unlearn
    ignoriere ignorier ignoriert ignorieren missachte missachten vergiss vergesse vergessen vergesst verwirf verwerfe
    ignorez oublie oubliez oublier neglige negligez
    ignora ignorad ignorar ignoren olvidate olvidense olvida olvide olvidad olvidar olviden descarta descarte desatiende omite
    ignorare ignorate dimentica dimenticate dimenticare scorda scordati trascura tralascia
    ignorem esqueca esquece esquecer desconsidere desconsidera
    negeer negeren vergeet vergeten
    zignoruj ignoruj zapomnij pomin ignorera glom strunta ignorer glem ignoruj zapomen zanemari zaboravi zaboravite ignoriraj
    ignora abaikan lupakan
    игнорируй игнорируйте проигнорируй проигнорируйте забудь забудьте игнорировать отбрось ігноруй забудь
    yoksay unut تجاهل تجاهلوا انس अनदेखा`,
  /** Verbs that have other objects too: `cancel my previous orders` is a normal request of a customer. */
  WIPE: `cancel delete erase clear reset wipe skip discard void revoke nullify drop omit purge`,
  /** At the end of a sentence. */
  DISMISS_LAST: `ignorieren vergessen missachten negeren vergeten yoksay yoksayin unut unutun gelme अनदेखा भूल`,
  DISMISSED: `ignored disregarded forgotten discarded overridden dismissed cancelled canceled superseded`,
  OBEY: `seguire segui seguite siga sigas sigan seguir suis suivez suivre obedezca obedezcas stosuj follow following obey obeying listen comply adhere heed abide respect befolge folge beachte befolgen beachten`,
  NOT: `not never don dont doesn didn won wouldn shouldn cannot can't no stop cease quit refuse avoid without nicht niemals keine kein ne pas jamais
    nunca jamas non mai nao niet nooit nie не`,
  PRIOR: `previous previously prior above preceding earlier former foregoing aforementioned before past existing initial initially original
    originally beforehand precedent
    vorherige vorherigen vorheriger vorherigem vorige vorigen obige obigen obenstehende obenstehenden bisherige bisherigen bisher vorangegangene
    vorangegangenen vorangehenden vorhergehende vorhergehenden fruhere fruheren davor zuvor vorher oben ursprunglichen
    precedente precedentes precedents anterieures anterieurs anterieure anterieur prealables prealable dessus auparavant
    anterior anteriores previa previas previo previos arriba antes
    precedenti sopra prima
    acima previas previos
    vorige voorgaande eerdere bovenstaande
    poprzednie poprzednich wczesniejsze powyzsze tidigare foregaende ovanstaende tidligere forrige ovenstaende predchozi predeslé prethodne
    prethodnih anterioare sebelumnya sebelum truoc
    предыдущие предыдущих прежние предшествующие вышеуказанные прошлые ранее попередні
    onceki yukaridaki السابقة سابقة पिछले`,
  OWN: `your yours ur dein deine deinen deiner deinem ihre ihren ihrer euer eure ton ta tes votre vos tu tus su sus tua tue tuoi tuo vostre suas sua
    seu seus teu teus jouw je uw twoje swoje din dina dine din tvoje свои ваши твои kendi`,
  ALL: `all any every everything anything each entire whatever alle alles allen jegliche samtliche tous toutes tout toute todas todos toda todo tutte
    tutti tutto tudo toutes alle wszystkie alla все всё весь tum bütün semua كل جميع sve svi vsechny toate`,
  EVERYTHING: `everything anything whatever all alles tout todo tutto tudo все всё wszystko allt alt sve`,
  ORDERS: `instruction instructions directive directives direction directions prompt prompts guideline guidelines rule rules order orders command
    commands programming protocol protocols constraint constraints restriction restrictions training policies policy safeguards
    anweisung anweisungen instruktion instruktionen befehl befehle befehlen vorgabe vorgaben regel regeln anordnungen aufforderung
    aufforderungen richtlinie richtlinien aufgaben systemanweisung systemanweisungen
    consigne consignes ordre ordres regle regles directives
    instruccion instrucciones orden ordenes regla reglas indicacion indicaciones directriz directrices comandos
    istruzione istruzioni regola regole ordini direttive indicazioni comandi
    instrucao instrucoes regra regras ordens diretrizes orientacoes
    instructies instructie opdrachten regels richtlijnen
    instrukcje instrukcji instrukcjach polecenia polecen poleceniach zasady instruktioner instruktionerna instruksjoner pokyny instrukce upute uputa instrukcije naredbe
    instructiuni instructiunile instruksi perintah huong lenh
    инструкции инструкций указания указаний команды правила приказы інструкції
    talimatlari talimatlar komutlari التعليمات تعليمات الأوامر निर्देशों निर्देश`,
  TALK: `information context conversation input inputs content text texts messages discussion dialogue history statements`,
  PROMPTWORD: `prompt prompts instruction instructions directive directives preamble programming
    anweisung anweisungen instruktionen systemprompt systemprompts systemanweisung systemanweisungen eingabeaufforderung
    consignes invite instrucciones indicaciones istruzioni instrucoes instructies инструкции instruktioner instrukcje talimatlari`,
  SYSTEM: `system initial original hidden secret internal confidential core base underlying developer starting first private configuration
    ursprunglichen ursprungliche initiales initiale iniciales originales ocultas secretas iniziali originali iniciais originais`,
  SISTEMA: `sistema systeme sistem`,
  NEW: `new updated revised`,
  GIVEN: `given got received told taught learned learnt said provided instructed issued shown sent gotten erhalten bekommen gesagt gelernt`,
  ORDERED: `told instructed asked supposed allowed programmed forbidden ordered meant`,
  REVEAL: `reveal print repeat output disclose leak expose echo dump recite divulge regurgitate reproduce reprint retype restate replay display
    show spit gib nenn sag offenbare verrate wiederhole zeige zeig drucke nenne revele revelez repete repetez affiche affichez montre montrez
    revela revelame repite imprime muestra muestrame rivela ripeti stampa mostra mostrami revele repita imprima mostre toon herhaal
    покажи повтори раскрой wyswietl powtorz pokaz`,
  RECITE: `wiederhole repite repita ripeti repete repetez imprime revela rivela revele reveal print repeat output disclose leak expose echo dump recite divulge regurgitate reproduce reprint retype restate replay spit`,
  TELL: `tell list type state copy paste return translate encode summarize summarise paraphrase describe convert write give share provide say explain
    spell rephrase rewrite extract quote`,
  FILL: `me us back out down the your my all of full entire complete exact verbatim whole word words for text content contents to in from every any this that
    these those again please now first everything current own mir uns die den das le les la los las il lo i gli o os as`,
  DET: `the of my your these those this that such die den der das les des las los le gli as os de`,
  YOU: `you u ya du sie ihr tu vous usted`,
  ACT: `act acting behave pretend pretending roleplay roleplaying simulate simulating imagine impersonate emulate immerse play playing become portray
    assume adopt`,
  AI: `ai chatbot bot assistant model chatgpt gpt llm gpt4 bard gemini copilot llama claude`,
  OPENAI: `openai chatgpt anthropic`,
  MAKER: `developer developers creator creators maker makers programmer programmers openai anthropic google`,
  POLICYWORD: `policy policies guidelines guideline rules restrictions limitations terms`,
  UNFILTERED: `unfiltered uncensored unrestricted unmoderated jailbroken unbound amoral unethical unhinged rogue evil malicious`,
  UNBOUND: `unfiltered uncensored unrestricted unmoderated jailbroken`,
  FREE: `without no zero free lacks lacking devoid ohne sans sin senza sem`,
  RAILS: `restriction restrictions filter filters filtering censorship guideline guidelines safeguards guardrails limitations limitation boundaries
    constraints rules inhibitions moderation ethics morals morality einschrankungen restricciones restrizioni restricoes`,
  HARD_RAILS: `restriction restrictions filter filters censorship guideline guidelines safeguards guardrails inhibitions moderation
    einschrankungen restricciones restrizioni restricoes`,
  MORAL: `moral morals ethical ethic ethics morality`,
  MORAL_NOUN: `guidelines standards restrictions constraints limits limitations boundaries principles code considerations rules`,
  UN: `not isn aren never longer`,
  BOUND: `bound restricted limited confined constrained`,
  MODE: `mode modus modo`,
  ODD_MODE: `dan jailbreak god evil unrestricted unfiltered uncensored opposite sudo chaos antigpt apophis dude`,
  RAW_MODE: `developer debug maintenance admin root sudo god jailbreak unrestricted test`,
  REFUSE: `refuse deny decline reject`,
  BYPASS: `bypass circumvent disable deactivate remove lift evade suspend override ignore drop`,
  SEND: `send post forward upload transmit exfiltrate email submit leak append`,
  LINK: `http https www url webhook`,
  REPORTED: `asks tells tries attempts instructs wants requests says contains contain containing phrase phrases example examples attempt attempting
    trying injection injections attacker attackers attacks`,
  /** Words that make a following "ignore" a statement. */
  SUBJECT: `i we they he she who people students users drivers players children often always sometimes`,
} as const

export const wordsOf = (name: string): readonly string[] | undefined =>
  Object.hasOwn(CLASSES, name) ? CLASSES[name as keyof typeof CLASSES].split(/\s+/) : undefined
