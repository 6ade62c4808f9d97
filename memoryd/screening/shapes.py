"""The table of secrets that give themselves away by their shape. Adding a row is all a new one needs.

Raise TABLE_VERSION with every change, so that stored text is screened again. Every pattern must be
linear: bounded repetition before anything that can still fail (a test feeds each 1 MB of bait).
The shapes are those the providers document or their own scanners publish.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memoryd.screening.values import accept, is_basic, is_body, is_chosen, is_random, is_userinfo

Check = Callable[[str], bool]

TABLE_VERSION = 2


@dataclass(frozen=True, slots=True)
class Token:
    """A token known by its first characters.

    Attributes:
        prefix: literal.
        body: pattern of what follows; it begins with, or is, a run of MIN_RUN or more of [A-Za-z0-9_-].
        check: judges the body; false: no secret.
    """

    kind: str
    prefix: str
    body: re.Pattern[str]
    check: Check = is_random


@dataclass(frozen=True, slots=True)
class Context:
    """A secret known by what stands around it: *hint*, in the lowered text, is where to look.

    The group "secret", where the pattern has one, is what is replaced; else the whole match.
    """

    kind: str
    hint: bytes
    pattern: re.Pattern[str]
    check: Check = is_random


_CHECKS: dict[str, Check] = {"basic-auth": is_basic}


Table = Mapping[str, Sequence[Token]]


def _tokens(rows: str, check: Check = is_random) -> dict[str, list[Token]]:
    """Read rows of `kind  prefix[,prefix...]  body`, keyed by prefix.

    *check* judges the bodies. In a prefix "·" is a space. A kind ending in "!" takes any body.
    """
    table: dict[str, list[Token]] = {}
    for row in rows.strip().splitlines():
        kind, prefixes, body = row.split(None, 2)
        pattern = re.compile(body.strip())
        judge = _CHECKS.get(kind, accept if kind.endswith("!") else check)
        for prefix in prefixes.replace("·", " ").split(","):
            table.setdefault(prefix, []).append(Token(kind.rstrip("!"), prefix, pattern, judge))
    return table


# Prefixes that occur in no word: found even where they are glued to the text before them.
ANYWHERE = _tokens(
    r"""
age-key            AGE-SECRET-KEY-1                    [0-9A-Za-z]{50,64}
anthropic-key      sk-ant-                             [A-Za-z0-9_-]{20,200}
apify-token        apify_api_                          [A-Za-z0-9]{30,60}
atlassian-token    ATATT3,ATCTT3,ATSTT3                [A-Za-z0-9_=-]{40,300}
atlassian-token    ATBB                                [A-Za-z0-9]{32}
aws-access-key     AKIA,ASIA,ABIA,ACCA                 [A-Z0-9]{16}
baidu-key          ALTAK-,ALTAK                        [A-Za-z0-9]{20,40}
buildkite-token    bkua_                               [0-9a-f]{40}
circleci-token     CCIPAT_,CCIPRJ_                     [A-Za-z0-9]{10,40}_[0-9a-f]{40}
clojars-token      CLOJARS_                            [0-9a-z]{60}
cloudflare-token   cfut_,cfat_,cfk_                    [A-Za-z0-9_-]{36,80}
contentful-token   CFPAT-                              [A-Za-z0-9_-]{43}
databricks-token   dapi                                [0-9a-f]{32}(?:-\d)?
digitalocean-token dop_v1_,doo_v1_,dor_v1_             [0-9a-f]{64}
docker-token       dckr_pat_,dckr_oat_                 [A-Za-z0-9_-]{20,64}
duffel-token       duffel_live_,duffel_test_           [A-Za-z0-9_=-]{40,60}
figma-token        figd_,figo_,figoh_,figor_,figu_     [A-Za-z0-9_-]{36,80}
flutterwave-key    FLWSECK-,FLWSECK_TEST-              [0-9a-zA-Z]{12,40}
fly-token          fm1a_,fm1r_,fm2_,fo1_               [A-Za-z0-9+/=_-]{40,1000}
github-token       ghp_,gho_,ghu_,ghs_,ghr_            [A-Za-z0-9]{30,255}
github-token       github_pat_                         [A-Za-z0-9_]{36,255}
gitlab-token       glpat-,gldt-,glrt-,glcbt-,glptt-,glft-,glimt-,glagent-,glsoat-,glffct-,gloas-,glwt-  [A-Za-z0-9_-]{20,64}(?:\.[0-9a-z]{2}\.[0-9a-z]{7,9})?
gitlab-token       GR1348941                           [A-Za-z0-9_-]{20}
google-secret      GOCSPX-                             [A-Za-z0-9_-]{24,40}
grafana-token      glsa_                               [A-Za-z0-9]{32}_[0-9A-Fa-f]{8}
grafana-token      glc_                                [A-Za-z0-9+/=]{40,400}
groq-key           gsk_                                [A-Za-z0-9]{40,80}
heroku-key         HRKU-                               [A-Za-z0-9_-]{36,80}
huggingface-token  api_org_                            [A-Za-z]{30,40}
kaggle-token       KGAT_                               [0-9a-f]{32}
langsmith-key      lsv2_pt_,lsv2_sk_                   [0-9a-f]{32}_[0-9a-f]{10}
langfuse-key!      sk-lf-                              [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}
linear-token       lin_api_,lin_oauth_,lin_wh_         [A-Za-z0-9]{32,80}
newrelic-key       NRAK-,NRAA-,NRII-,NRIQ-,NRRA-,NRJS- [A-Za-z0-9_-]{19,40}
notion-token       ntn_                                [A-Za-z0-9]{40,60}
npm-token          npm_                                [A-Za-z0-9]{36,60}
nvidia-key         nvapi-                              [A-Za-z0-9_-]{50,90}
onepassword-token  ops_eyJ                             [A-Za-z0-9_+/=-]{80,1500}
openai-key         sk-proj-,sk-svcacct-,sk-admin-,sk-None-  [A-Za-z0-9_-]{20,250}
openrouter-key     sk-or-v1-,sk-or-                    [0-9a-f]{48,64}
perplexity-key     pplx-                               [A-Za-z0-9]{40,64}
pinecone-key       pcsk_                               [A-Za-z0-9_]{50,90}
planetscale-token  pscale_tkn_,pscale_pw_,pscale_oauth_ [A-Za-z0-9_=.-]{32,64}
postman-key        PMAK-                               [0-9a-f]{24}-[0-9a-f]{34}
posthog-key        phx_                                [A-Za-z0-9]{40,60}
prefect-key        pnu_                                [A-Za-z0-9]{36}
pulumi-token       pul-                                [0-9a-f]{40}
pypi-token         pypi-AgE                            [A-Za-z0-9_-]{40,300}
readme-key         rdme_                               [a-z0-9]{60,80}
render-key         rnd_                                [A-Za-z0-9]{26,40}
replicate-token    r8_                                 [A-Za-z0-9]{36,40}
rubygems-key       rubygems_                           [0-9a-f]{48}
scalingo-token     tk-us-                              [A-Za-z0-9_-]{48}
sendinblue-key     xkeysib-,xsmtpsib-                  [0-9a-f]{64}-[A-Za-z0-9]{16}
sentry-token       sntrys_                             [A-Za-z0-9+/=_-]{40,400}
sentry-token       sntryu_                             [0-9a-f]{64}
shippo-token       shippo_live_,shippo_test_           [0-9a-f]{40}
shopify-token      shpat_,shpca_,shppa_,shpss_,shpua_,shptka_  [0-9A-Za-z]{32}
slack-token        xoxb-,xoxp-,xoxa-,xoxr-,xoxs-,xoxo-,xoxc-,xoxd-,xoxe-,xapp-,xwfp-  [A-Za-z0-9%-]{14,400}
sonar-token        sqp_,squ_,sqa_                      [0-9a-f]{40}
sourcegraph-token  sgp_                                (?:[0-9a-f]{16}_|local_)?[0-9a-f]{40,64}
square-token       sq0atp-,sq0csp-,sq0idp-             [A-Za-z0-9_-]{22,50}
stripe-key         sk_live_,sk_test_,rk_live_,rk_test_,sk_prod_,rk_prod_  [A-Za-z0-9]{16,250}
stripe-secret      whsec_                              [A-Za-z0-9+/=]{24,80}
supabase-key       sbp_,sb_secret_                     (?:v0_)?[A-Za-z0-9_-]{30,64}
tailscale-key      tskey-auth-,tskey-api-,tskey-client-,tskey-scim-,tskey-webhook-  [A-Za-z0-9-]{20,80}
tavily-key         tvly-                               (?:dev-|prod-)?[A-Za-z0-9_-]{24,64}
together-key       tgp_v1_                             [A-Za-z0-9_-]{36,64}
typeform-token     tfp_                                [A-Za-z0-9_.-]{40,80}
vercel-token       vcp_,vci_,vca_,vcr_,vck_            [A-Za-z0-9_-]{24,80}
volcengine-key     AKLT                                [A-Za-z0-9_-]{40,60}
wandb-key          wandb_v1_                           [A-Za-z0-9_]{40,120}
xai-key            xai-                                [A-Za-z0-9]{60,100}
""",
    is_body,
)

# Short or word-like prefixes: only at the beginning of a run.
AT_BEGINNING = _tokens(r"""
adafruit-key       aio_                                [A-Za-z0-9]{28}
airtable-token     pat                                 [A-Za-z0-9]{14}\.[0-9a-f]{64}
aliyun-key         LTAI                                [A-Za-z0-9]{12,26}+(?![A-Za-z0-9_-])
artifactory-token  AKCp                                [A-Za-z0-9]{60,80}
brave-key          BSA                                 [A-Za-z0-9_-]{28}+(?![A-Za-z0-9_-])
cerebras-key       csk-                                [a-z0-9]{40,64}
crates-token       cio                                 [A-Za-z0-9]{32}+(?![A-Za-z0-9_-])
discord-token      MD,MT,Mj,Mz,ND,NT,Nj,Nz,OD,OT       [A-Za-z0-9_-]{21,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}
easypost-key       EZAK,EZTK                           [A-Za-z0-9]{54}
e2b-key            e2b_                                [0-9a-f]{40}
elevenlabs-key     sk_                                 [0-9a-f]{48}+(?![A-Za-z0-9_-])
facebook-token     EAA                                 [A-Za-z0-9]{80,300}
firecrawl-key      fc-                                 [0-9a-f]{32}+(?![A-Za-z0-9_-])
fireworks-key      fw_                                 [A-Za-z0-9]{22,40}+(?![A-Za-z0-9_-])
google-key         AIza                                [A-Za-z0-9_-]{35}
hubspot-token!     pat-                                (?:na|eu|ap)\d-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}
huggingface-token  hf_                                 [A-Za-z0-9]{30,50}+(?![A-Za-z0-9_-])
jina-key           jina_                               [A-Za-z0-9_-]{40,80}
jwt                eyJ                                 [A-Za-z0-9_-]{8,4000}+\.[A-Za-z0-9_-]{8,8000}+(?:\.[A-Za-z0-9_-]{8,4000}+){1,3}
launchdarkly-key!  sdk-,api-,mob-                      [0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}
mailgun-key        key-                                [0-9a-f]{32}+(?![A-Za-z0-9_-])
netlify-token      nfp_,nfc_,nfo_,nfu_,nfb_            [A-Za-z0-9]{36,60}
notion-token       secret_                             [A-Za-z0-9]{43}+(?![A-Za-z0-9_-])
nuget-key          oy2                                 [a-z0-9]{43}+(?![A-Za-z0-9_-])
openai-key         sk-                                 [A-Za-z0-9]{20,40}T3BlbkFJ[A-Za-z0-9]{20,40}
platform-key       sk-                                 [A-Za-z0-9]{28,100}+(?![A-Za-z0-9_-])
resend-key         re_                                 [A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}
square-token       EAAA                                [A-Za-z0-9_-]{56,64}
tencent-key        AKID                                [A-Za-z0-9]{13,44}+(?![A-Za-z0-9_-])
twilio-key         SK                                  [0-9a-f]{32}+(?![A-Za-z0-9_-])
voyage-key         pa-                                 [A-Za-z0-9_-]{40,50}+(?![A-Za-z0-9_-])
firebase-key       APA91b                              [A-Za-z0-9_-]{100,180}
telegram-token     AA                                  (?<=[0-9]{6}:AA)[A-Za-z0-9_-]{32,34}+(?![A-Za-z0-9_-])
""")

# Prefixes that end in another character: the run begins right behind them. They stay in the text.
BEFORE_RUN = _tokens(r'''
azure-secret       Q~                                  [A-Za-z0-9_~.-]{31,34}+(?![A-Za-z0-9_~.-])
basic-auth         Basic·,basic·,BASIC·,Basic+,Basic%20  [A-Za-z0-9+/]{8,400}={0,2}
basic-auth         "auth":·",auth"":·"",auth"""":·"""",auth"""""""":·"""""""",'auth':·',"auth":",_auth=   [A-Za-z0-9+/]{8,400}={0,2}
bearer-token       Bearer·,bearer·,BEARER·,Bearer:·,Bearer+,Bearer%20,Bearer·",Bearer·',Authorization:·,authorization:·,Authorization:·Token·,Authorization:·token·,authorization:·token·,authorization:·Token·,Authorization:·ApiKey·,authorization:·ApiKey·,authorization:·apikey·  [A-Za-z0-9._~+/-]{16,4000}=*
doppler-token      dp.pt.,dp.ct.,dp.sa.,dp.st.,dp.scim.,dp.audit.  [A-Za-z0-9_.-]{36,80}
doppler-token      .dev.,.stg.,.prd.                   (?<=dp\.st\.\w\w\w\.)[A-Za-z0-9]{36,80}
dropbox-token      sl.,sl.u.                           [A-Za-z0-9_-]{120,1500}
cloudflare-token   v1.                                 0-[0-9a-f]{24}-[0-9a-f]{100,160}
dynatrace-token    dt0c01.,dt0s01.,dt0a01.             [A-Z0-9]{24}\.[A-Z0-9]{64}
google-token       1//                                 0[A-Za-z0-9_-]{36,200}
google-token       ya29.                               [A-Za-z0-9_-]{20,1500}
mapbox-token       sk.                                 eyJ[A-Za-z0-9_-]{20,200}\.[A-Za-z0-9_-]{20,40}
openshift-token    sha256~                             [A-Za-z0-9_-]{43}
paypal-token       access_token$production$,access_token$sandbox$  [0-9a-z]{16}\$[0-9a-f]{32}
sendgrid-key       SG.                                 [A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}
snowflake-token    Token="                             (?<=Snowflake Token=")[^"\s]{20,2000}
terraform-token    .atlasv1.                           [A-Za-z0-9_=-]{60,80}
vault-token        hvs.,hvb.,hvr.                      [A-Za-z0-9_-]{20,300}
''')

_UUID = "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"

# A whole block; or, where its end was cut off, its lines (also with line numbers or quotes before them).
_PRIVATE_KEY = (
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:"
    r"(?=[\s\S]{0,200}?[A-Za-z0-9+/=]{32})(?:[^-]|-(?!----)){40,20000}+-----END [A-Z0-9 ]{0,50}-----"
    r"|(?:(?:[\s\\\"',>|]|\d{1,5}→)*+[A-Za-z0-9+/=]{16,200}+){1,400}+[A-Za-z0-9+/=]*)"
)


def _contexts(*rows: tuple[str, str, str] | tuple[str, str, str, Check]) -> tuple[Context, ...]:
    return tuple(
        Context(kind, hint.encode(), re.compile(pattern), *(check or (is_random,)))
        for kind, hint, pattern, *check in rows
    )


# Tried where the text holds a "://".
CONTEXTS_OF_URLS = _contexts(
    (
        "url-password",
        "://",
        r"://[^\s/:@?#\"'<>|]{0,256}(?:@[^\s/:@?#\"'<>|]{1,256})?:(?P<secret>[^\s/\"'<>|]{1,256})@(?=[\w.\[-])(?!sha\d{3}:)",
        is_userinfo,
    ),
    ("url-token", "://", r"://(?P<secret>[A-Za-z0-9_-]{20,256})(?::x-oauth-basic)?@"),
    (
        "otp-seed",
        "otpauth",
        r"otpauth(?:-migration)?://[^\s\"'<>]{0,300}?(?:secret|data)=(?P<secret>[\w%+/=-]{10,500})",
        accept,
    ),
    ("azure-sas", "sig=", r"[?&;]sig=(?P<secret>[\w%+/-]{30,200}=*)"),
    ("aws-signature", "x-amz-sig", r"(?i:x-amz-signature=)(?P<secret>[0-9a-f]{64})"),
    ("dingtalk-webhook", "robot/send", r"robot/send\?access_token=(?P<secret>[0-9a-fA-F]{64})"),
    (
        "discord-webhook",
        "webhooks/",
        r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/(?P<secret>\d{5,24}/[A-Za-z0-9_-]{40,100})",
    ),
    ("feishu-webhook", "/v2/hook/", rf"/open-apis/bot/v2/hook/(?P<secret>{_UUID})", accept),
    (
        "ifttt-key",
        "maker.ifttt",
        r"maker\.ifttt\.com/[\w/{}-]{1,100}/key/(?P<secret>[A-Za-z0-9_-]{20,60})",
    ),
    (
        "slack-webhook",
        "hooks.slack",
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9_/-]{20,200})",
    ),
    (
        "teams-webhook",
        "webhook.office",
        r"webhook\.office\.com/webhookb2/(?P<secret>[\w@/-]{60,250})",
        accept,
    ),
    ("wechat-webhook", "key=", rf"webhook/(?:send|upload_media)\?key=(?P<secret>{_UUID})", accept),
    (
        "zapier-webhook",
        "hooks.zapier",
        r"hooks\.zapier\.com/hooks/catch/(?P<secret>\d{4,12}/\w{5,12})",
        accept,
    ),
)
# Tried where the text holds a " -p", which is the hint.
CONTEXTS_OF_COMMANDS = _contexts(
    (
        "docker-password",
        " -p",
        r"docker\s{1,9}login\b[^\n|;]{0,150}?\s-p[ =]?[\"']?(?P<secret>[^\s\"']{4,200})",
        is_chosen,
    ),
    (
        "mysql-password",
        " -p",
        r"mysql(?:dump|admin|import|sh)?\b[^\n|;]{0,150}?\s-p(?P<secret>[^\s\"'-][^\s\"']{3,99})",
        is_chosen,
    ),
    ("sshpass-password", " -p", r"sshpass\s{1,9}-p ?[\"']?(?P<secret>[^\s\"']{3,99})", is_chosen),
)
CONTEXTS_OF_BLOCKS = _contexts(("private-key", "-----begin", _PRIVATE_KEY, accept))
