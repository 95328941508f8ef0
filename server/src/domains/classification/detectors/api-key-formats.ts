/** Format of a provider's keys: the prefix, and the source of an expression for the rest. */
export interface KeyFormat {
  readonly prefix: string
  readonly rest: string
}

const key = (prefix: string, rest: string): KeyFormat => ({ prefix, rest })

const ALNUM = (min: number, max = 255): string => `[A-Za-z0-9]{${min},${max}}`
const URL_SAFE = (min: number, max = 255): string => String.raw`[\w-]{${min},${max}}`
const HEX = (min: number, max = min): string => `[a-f0-9]{${min},${max}}`

/** Prefixes as documented by the providers for secret scanning. Publishable keys (`pk_live_…`) and account names are not secrets. */
export const KEY_FORMATS: readonly KeyFormat[] = [
  // Gatehouse: API keys, admin tokens, user tokens.
  ...['gk_', 'ga_', 'gu_'].map((prefix) => key(prefix, URL_SAFE(32))),
  // Model providers.
  ...['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-', 'sk-service-', 'sk-ant-', 'sk-or-v1-', 'sk-lf-'].map((p) =>
    key(p, URL_SAFE(20)),
  ),
  key('sk-', String.raw`(?=[A-Za-z]*\d)[A-Za-z0-9]{20,200}`),
  key('AIza', URL_SAFE(35, 35)),
  key('AQ.', URL_SAFE(40)),
  key('hf_', ALNUM(30, 64)),
  key('api_org_', ALNUM(30, 64)),
  key('gsk_', ALNUM(40)),
  key('xai-', ALNUM(60)),
  key('pplx-', ALNUM(40)),
  key('r8_', ALNUM(37, 40)),
  key('fw_', ALNUM(22, 40)),
  key('tgp_v1_', URL_SAFE(40)),
  key('nvapi-', URL_SAFE(60)),
  key('lsv2_', '(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}'),
  key('pcsk_', URL_SAFE(40)),
  key('ABSKQmVkcm9ja', '[A-Za-z0-9+/]{90,140}'),
  // Clouds and hosting.
  ...['AKIA', 'ASIA', 'ABIA', 'ACCA'].map((prefix) => key(prefix, '[A-Z0-9]{16}')),
  key('GOCSPX-', URL_SAFE(28, 28)),
  key('ya29.', URL_SAFE(40, 1_024)),
  key('1//0', URL_SAFE(40)),
  key('LTAI', ALNUM(16, 24)),
  key('AKID', ALNUM(32, 36)),
  ...['dop_v1_', 'doo_v1_', 'dor_v1_'].map((prefix) => key(prefix, HEX(64))),
  key('HRKU-', URL_SAFE(36)),
  key('nfp_', ALNUM(36)),
  key('dapi', HEX(32)),
  key('pscale_', String.raw`(?:tkn|pw|oauth)_[\w.=-]{32,64}`),
  ...['sbp_', 'sb_secret_'].map((prefix) => key(prefix, URL_SAFE(24))),
  key('fo1_', URL_SAFE(43)),
  key('hvs.', URL_SAFE(24)),
  key('hvb.', URL_SAFE(100)),
  key('dp.', String.raw`(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,80}`),
  key('pul-', HEX(40)),
  // Code and packages.
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((prefix) => key(prefix, ALNUM(36))),
  key('github_pat_', String.raw`\w{50,255}`),
  ...['glpat-', 'gldt-', 'glrt-', 'glft-', 'glsoat-', 'glimt-', 'glffct-', 'glagent-', 'gloas-', 'glcbt-', 'glptt-'].map(
    (prefix) => key(prefix, String.raw`[\w-]{20,300}(?:\.[0-9a-z]{2,16}){0,2}`),
  ),
  key('npm_', ALNUM(36)),
  key('pypi-', URL_SAFE(50, 1_000)),
  key('rubygems_', HEX(48)),
  key('cio', ALNUM(32, 32)),
  key('dckr_pat_', URL_SAFE(27)),
  key('ATATT3', URL_SAFE(100)),
  key('ATCTT3', URL_SAFE(100)),
  key('ATBB', ALNUM(32)),
  key('sqp_', HEX(40)),
  key('squ_', HEX(40)),
  key('AKCp', ALNUM(69)),
  key('PMAK-', '[a-f0-9]{24}-[a-f0-9]{34}'),
  key('oy2', '[a-z0-9]{43}'),
  // Messaging and mail.
  ...['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxe-', 'xoxe.', 'xoxo-', 'xoxc-', 'xoxd-', 'xapp-'].map((prefix) =>
    key(prefix, String.raw`(?=[\w.-]*\d)[\w.%-]{16,255}`),
  ),
  key('SG.', String.raw`[\w-]{16,32}\.[\w-]{16,64}`),
  key('xkeysib-', '[a-f0-9]{64}-[A-Za-z0-9]{16}'),
  key('key-', HEX(32)),
  key('SK', HEX(32)),
  // Payment and shops.
  ...['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'sk_prod_', 'rk_prod_'].map((prefix) => key(prefix, ALNUM(10))),
  key('whsec_', '[A-Za-z0-9+/]{24,80}'),
  ...['shpat_', 'shpca_', 'shppa_', 'shpss_'].map((prefix) => key(prefix, '[A-Fa-f0-9]{32}')),
  ...['sq0atp-', 'sq0csp-'].map((prefix) => key(prefix, URL_SAFE(22))),
  key('EAAA', URL_SAFE(56, 64)),
  key('FLWSECK', '(?:_TEST)?-[A-Za-z0-9]{12,40}(?:-X)?'),
  ...['rzp_live_', 'rzp_test_'].map((prefix) => key(prefix, ALNUM(14))),
  ...['EZAK', 'EZTK'].map((prefix) => key(prefix, ALNUM(54))),
  key('shippo_', '(?:live|test)_[A-Fa-f0-9]{40}'),
  key('access-', '(?:sandbox|development|production)-[a-f0-9-]{36}'),
  // Project management and monitoring.
  key('lin_api_', ALNUM(32)),
  key('ntn_', ALNUM(40)),
  key('secret_', ALNUM(43, 43)),
  key('figd_', URL_SAFE(40)),
  key('pat-', String.raw`(?:na|eu)\d-[a-f0-9-]{36}`),
  key('CFPAT-', URL_SAFE(40)),
  key('tfp_', URL_SAFE(40)),
  key('glsa_', '[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}'),
  key('glc_', '[A-Za-z0-9+/]{32,400}'),
  key('NRAK-', '[A-Z0-9]{27}'),
  key('sntrys_', String.raw`[\w+/-]{40,250}`),
  key('sntryu_', HEX(64)),
  key('dt0c01.', String.raw`[A-Z0-9]{24}\.[A-Z0-9]{64}`),
  key('phx_', ALNUM(40)),
  key('ops_eyJ', URL_SAFE(100, 2_000)),
  key('AGE-SECRET-KEY-1', '[0-9A-Z]{58}'),
  key('sl.', URL_SAFE(100, 1_500)),
]
