"""Secrets made at test time: templates that are no secrets until random characters fill them in.

A template is `kind  text`; `{A36}` is 36 letters and digits, and so on (see `_ALPHABETS`); `{e18}` is
the base64 of a user and a password of 18 letters. What must disappear stands between ⟦ and ⟧; without them it is the whole text.
"""

import base64
import random
import re
import string
from dataclasses import dataclass

_ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "a": string.ascii_lowercase + string.digits,
    "U": string.ascii_uppercase + string.digits,
    "L": string.ascii_letters,
    "b": string.ascii_letters + string.digits + "-_",
    "B": string.ascii_letters + string.digits + "+/",
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "d": string.digits,
    "s": string.ascii_uppercase + "234567",
    "p": string.ascii_letters + string.digits + "!#*^~",
}
_HOLE = re.compile(r"\{(\w)(\d+)\}")
_SECRET = re.compile("⟦(.*)⟧", re.DOTALL)
UUID = "{h8}-{h4}-4{h3}-a{h3}-{h12}"

TOKENS = r"""
age            AGE-SECRET-KEY-1{U58}
airtable       pat{A14}.{h64}
aliyun         LTAI5t{A18}
anthropic      sk-ant-api03-{b93}AA
anthropic-oat  sk-ant-oat01-{b80}
anthropic-adm  sk-ant-admin01-{b80}
apify          apify_api_{A36}
artifactory    AKCp8{A68}
atlassian      ATATT3xFfGF0{b160}
bitbucket      ATBB{A32}
aws            AKIA{s16}
aws-sts        ASIA{s16}
azure-ad       ⟦{A3}8Q~{A34}⟧
baidu          ALTAK-{A21}
brave          BSA{A28}
buildkite      bkua_{h40}
cerebras       csk-{a48}
circleci       CCIPAT_{A22}_{h40}
clojars        CLOJARS_{a60}
cloudflare-ca  v1.⟦0-{h24}-{h146}⟧
contentful     CFPAT-{b43}
crates         cio{A32}
databricks     dapi{h32}
digitalocean   dop_v1_{h64}
digitalocean-o doo_v1_{h64}
docker         dckr_pat_{b27}
doppler        dp.pt.⟦{A43}⟧
dropbox        sl.⟦{b140}⟧
duffel         duffel_live_{b43}
dynatrace      dt0c01.⟦{U24}.{U64}⟧
e2b            e2b_{h40}
easypost       EZAK{A54}
elevenlabs     sk_{h48}
facebook       EAA{A150}
fal            FAL_KEY=⟦{h8}-{h4}-4{h3}-a{h3}-{h12}:{h32}⟧
figma          figd_{b40}
firebase-fcm   AAAA{b7}:⟦APA91b{b134}⟧
firecrawl      fc-{h32}
fireworks      fw_{A24}
fly            fo1_{b43}
github         ghp_{A36}
github-oauth   gho_{A36}
github-user    ghu_{A36}
github-server  ghs_{A36}
github-refresh ghr_{A76}
github-fine    github_pat_{A22}_{A59}
gitlab         glpat-{b20}
gitlab-runner  glrt-{b20}
gitlab-routed  glpat-{b27}.01.{a9}
google-api     AIza{b35}
google-oauth   ya29.⟦a0{b120}⟧
google-refresh 1//⟦04{b80}⟧
google-secret  GOCSPX-{b28}
grafana        glsa_{A32}_{h8}
grafana-cloud  glc_{A90}
groq           gsk_{A52}
heroku         HRKU-AA{b58}
hubspot        pat-na1-{h8}-{h4}-4{h3}-a{h3}-{h12}
huggingface    hf_{L34}
jina           jina_{b60}
jwt            eyJ{b30}.eyJ{b60}.{b43}
kaggle         KGAT_{h32}
langsmith      lsv2_pt_{h32}_{h10}
langfuse       sk-lf-{h8}-{h4}-4{h3}-a{h3}-{h12}
launchdarkly   sdk-{h8}-{h4}-4{h3}-a{h3}-{h12}
linear         lin_api_{A40}
mailgun        key-{h32}
mapbox         sk.eyJ{b80}.{b22}
netlify        nfp_{A36}
newrelic       NRAK-{U27}
notion         ntn_{A46}
notion-old     secret_{A43}
npm            npm_{A36}
nuget          oy2{a43}
nvidia         nvapi-{b64}
onepassword    ops_eyJ{b200}
openai-old     sk-{A20}T3BlbkFJ{A20}
openai-project sk-proj-{b74}T3BlbkFJ{b74}
openai-service sk-svcacct-{b74}T3BlbkFJ{b58}
openrouter     sk-or-v1-{h64}
openshift      sha256~⟦{b43}⟧
deepseek       sk-{h32}
moonshot       sk-{A48}
paypal         access_token$production$⟦{a16}${h32}⟧
perplexity     pplx-{A48}
pinecone       pcsk_{A6}_{A63}
planetscale    pscale_tkn_{b43}
postman        PMAK-{h24}-{h34}
posthog        phx_{A43}
prefect        pnu_{A36}
pulumi         pul-{h40}
pypi           pypi-AgEIcHlwaS5vcmc{b150}
readme         rdme_{a70}
render         rnd_{A28}
replicate      r8_{A37}
resend         re_{A8}_{A24}
rubygems       rubygems_{h48}
sendgrid       SG.⟦{b22}.{b43}⟧
sendinblue     xkeysib-{h64}-{A16}
sentry         sntrys_{A120}
sentry-user    sntryu_{h64}
shippo         shippo_live_{h40}
shopify        shpat_{h32}
shopify-secret shpss_{h32}
slack-bot      xoxb-{d12}-{d13}-{A24}
slack-user     xoxp-{d12}-{d12}-{d13}-{h32}
slack-app      xapp-1-A{U10}-{d13}-{h64}
sonar          squ_{h40}
sourcegraph    sgp_{h16}_{h40}
square         sq0atp-{b22}
square-secret  sq0csp-{b43}
stripe         sk_live_{A24}
stripe-test    sk_test_{A99}
stripe-limited rk_live_{A24}
stripe-webhook whsec_{A32}
supabase       sbp_{h40}
supabase-new   sb_secret_{b31}
tailscale      tskey-auth-{A16}-{A32}
tavily         tvly-{A32}
telegram       {d10}:⟦AA{b33}⟧
tencent        AKID{A32}
terraform      {A14}.atlasv1.⟦{b67}⟧
together       tgp_v1_{b43}
twilio         SK{h32}
typeform       tfp_{b44}
vault          hvs.⟦{b90}⟧
vercel         vcp_{A40}
volcengine     AKLT{A44}
voyage         pa-{b43}
wandb          wandb_v1_{A80}
xai            xai-{A80}
discord-bot    MT{A22}.{A6}.{b38}
"""

# Secrets that only what stands around them gives away.
CONTEXTS = r"""
url            postgres://app:⟦{p18}⟧@db.example.com:5432/shop
url-redis      redis://:⟦{A20}⟧@cache.example.com:6379/0
url-mongo      mongodb+srv://ops:⟦{A16}⟧@cluster0.example.net/?retryWrites=true
url-escaped    https://bob:⟦{A8}%40{A8}⟧@git.example.com/x.git
url-weak       https://user:⟦pass{d4}⟧@example.com/x
url-pin        ftp://scans:⟦{d4}⟧@printer.example.com/
url-mail       https://ann@example.com:⟦tulip{d2}⟧@git.example.com/a.git
url-token      https://⟦{A40}⟧@github.com/a/b.git
sentry-dsn     https://⟦{h32}⟧@o12345.ingest.sentry.io/678
basic          Authorization: Basic ⟦{e18}⟧
bearer         Authorization: Bearer ⟦{b40}⟧
azure-storage  DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=⟦{B86}==⟧;EndpointSuffix=core.windows.net
azure-bus      Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=⟦{B43}=⟧
azure-sas      https://x.blob.core.windows.net/c/b?sv=2022-11-02&sp=r&sig=⟦{A40}%3D⟧&se=2030
slack-hook     https://hooks.slack.com/services/⟦T{U10}/B{U10}/{A24}⟧
discord-hook   https://discord.com/api/webhooks/⟦{d18}/{b68}⟧
feishu-hook    https://open.feishu.cn/open-apis/bot/v2/hook/⟦{h8}-{h4}-4{h3}-a{h3}-{h12}⟧
dingtalk-hook  https://oapi.dingtalk.com/robot/send?access_token=⟦{h64}⟧
wecom-hook     https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=⟦{h8}-{h4}-4{h3}-a{h3}-{h12}⟧
teams-hook     https://x.webhook.office.com/webhookb2/⟦{h8}-{h4}-4{h3}-a{h3}-{h12}@{h8}-{h4}-4{h3}-a{h3}-{h12}/IncomingWebhook/{h32}/{h8}⟧
otp            otpauth://totp/Acme:bob?secret=⟦{s32}⟧&issuer=Acme
aws-secret     aws_secret_access_key = ⟦{B40}⟧
env            export STRIPE_API_KEY=⟦{A32}⟧
env-quoted     MISTRAL_API_KEY="⟦{A32}⟧"
json           {"api_key": "⟦{A40}⟧"}
json-camel     {"clientSecret":"⟦{A40}⟧"}
yaml           datadog_api_key: ⟦{h32}⟧
python         api_token = '⟦{A24}⟧'
typed          const accessToken: string = "⟦{A28}⟧";
rust           let auth_token: &str = "⟦{A28}⟧";
go             secretKey := "⟦{A28}⟧"
ruby           :api_key => "⟦{A28}⟧"
getenv         os.getenv("SERVICE_TOKEN", "⟦{A28}⟧")
subscript      os.environ["HEROKU_API_KEY"] = "⟦{A32}⟧"
kubernetes     - name: SESSION_SECRET
  value: ⟦{A32}⟧
flag           deploy --api-key ⟦{A32}⟧ --verbose
flag-equals    deploy --token=⟦{A32}⟧
header         X-Api-Key: ⟦{A32}⟧
query          GET /v1/items?access_token=⟦{A32}⟧&page=2
password       password = "⟦{p14}9⟧"
password-env   DB_PASSWORD=⟦{A12}7!⟧
password-yaml  password: ⟦{A12}7⟧
password-xml   <password>⟦{A12}7⟧</password>
password-sql   CREATE USER bob IDENTIFIED BY PASSWORD '⟦{A12}7⟧'
password-dsn   Server=db;User Id=sa;Password=⟦{A12}7⟧;Encrypt=true
password-zh    数据库密码：⟦{A9}7x⟧
password-zh2   服务器的密码是⟦{A9}7x⟧，别外传
password-zh3   口令是 ⟦{A9}7x⟧
password-zh4   账号 admin 密码 ⟦{A9}7x⟧
key-zh         接口密钥：⟦{A32}⟧
password-new1  the wifi password changed to ⟦{A9}7x⟧ yesterday
password-new2  The password is now ⟦{A9}7x⟧.
password-new3  the admin password has been reset to ⟦{A9}7x⟧
password-new4  wifi密码已经改成了⟦{A9}7x⟧，别外传
password-new5  密码现在是⟦{A9}7x⟧
password-new6  パスワードを⟦{A9}7x⟧に変更した
password-new7  비밀번호를 ⟦{A9}7x⟧로 변경
password-new8  Das Passwort wurde auf ⟦{A9}7x⟧ geändert
password-new9  Das WLAN-Passwort lautet jetzt ⟦{A9}7x⟧
password-new10 new pw: ⟦{A9}7x⟧
password-rev1  Use ⟦{A9}7x⟧ as the password for the router
password-rev2  ⟦{A9}7x⟧ is the new password of the router
password-ja    パスワードは⟦{A9}7x⟧です
password-ko    비밀번호는 ⟦{A9}7x⟧ 입니다
password-de    Das Passwort ist ⟦{A9}7x⟧
password-fr    le mot de passe est ⟦{A9}7x⟧
password-es    La contraseña es ⟦{A9}7x⟧
netrc          machine api.example.com login bob password ⟦{A12}7⟧
login          user bob, pass ⟦{A12}7!⟧
curl           curl -s -u bob:⟦{A12}⟧ https://api.example.com
mysql          mysql -h db -u root -p⟦{A12}⟧ shop
sshpass        sshpass -p '⟦{A12}⟧' ssh root@example.com
docker-login   docker login -u bob -p ⟦{A20}⟧ registry.example.com
docker-auth    {"auths": {"r.example.com": {"auth": "⟦{e18}⟧"}}}
markdown       - **Password**: `⟦{A12}7⟧`
prose          The API key for staging is ⟦{A32}⟧.
"""

_BLOCK = "{B64}\n{B64}\n{B64}\n{B40}=="
BLOCKS = {
    f"{kind}-key".lower().replace(
        " ", "-"
    ): f"-----BEGIN {label}-----\n{_BLOCK}\n-----END {label}-----"
    for kind, label in [
        ("RSA", "RSA PRIVATE" + " KEY"),
        ("PKCS8", "PRIVATE" + " KEY"),
        ("EC", "EC PRIVATE" + " KEY"),
        ("OpenSSH", "OPENSSH PRIVATE" + " KEY"),
        ("encrypted", "ENCRYPTED PRIVATE" + " KEY"),
        ("PGP", "PGP PRIVATE" + " KEY BLOCK"),
    ]
}


@dataclass(frozen=True)
class Planted:
    """A text with a secret in it."""

    kind: str
    text: str
    secret: str

    @property
    def before(self) -> str:
        return self.text[: self.text.index(self.secret)]

    @property
    def after(self) -> str:
        return self.text[self.text.index(self.secret) + len(self.secret) :]


def fill(template: str, source: random.Random) -> str:
    """*template* with its holes filled."""

    def draw(hole: re.Match[str]) -> str:
        if hole[1] == "e":
            password = "".join(source.choices(string.ascii_letters, k=int(hole[2])))
            return base64.b64encode(f"alice:{password}".encode()).decode()
        return "".join(source.choices(_ALPHABETS[hole[1]], k=int(hole[2])))

    return _HOLE.sub(draw, template)


def plant(kind: str, template: str, seed: int) -> Planted:
    """The secret of *template*, another one for every *seed*."""
    text = fill(template, random.Random(f"{kind} {seed}"))
    marked = _SECRET.search(text)
    return Planted(kind, text.replace("⟦", "").replace("⟧", ""), marked[1] if marked else text)


def _rows(table: str) -> dict[str, str]:
    rows = re.split(r"\n(?=\S)(?!  )", table.strip("\n"))
    return dict(row.split(None, 1) for row in rows)


TOKEN_TEMPLATES = _rows(TOKENS)
CONTEXT_TEMPLATES = _rows(CONTEXTS)
TEMPLATES = {**TOKEN_TEMPLATES, **CONTEXT_TEMPLATES, **BLOCKS}
