"""Texts of every working day that hold no secret and no hidden character: they must stay as they are."""

CODE = r"""
password: string;
private password?: string | null
def login(user: str, password: str) -> Token:
password = getPassword()
password = get_password2()
token = generateToken128(user)
self.password = password
this.token = token2
password = args.password1
const token = jwt.sign(payload, process.env.JWT_SECRET)
api_key = os.environ["OPENAI_API_KEY"]
api_key=os.getenv("ANTHROPIC_API_KEY")
apiKey: process.env.STRIPE_SECRET_KEY_2
token = response.data.access_token
secret = settings.OAUTH2_CLIENT_SECRET
password = config["database"]["password1"]
curl -H "Authorization: Bearer $TOKEN" https://api.example.com
curl -H "Authorization: Bearer ${GITHUB_TOKEN}" https://api.github.com
curl -u "$USER:$PASSWORD" https://api.example.com
export API_KEY=$(cat ~/.config/key)
export OPENAI_API_KEY=<your-api-key>
export OPENAI_API_KEY="YOUR_API_KEY"
API_KEY=your-api-key-here
api_key: "YOUR_API_KEY_123456789"
OPENAI_API_KEY=sk-...
OPENAI_API_KEY=sk-your-key-here
ANTHROPIC_API_KEY=sk-ant-xxxxxxxxxxxxxxxxxxxxxxxx
SLACK_TOKEN=xoxb-xxxxxxxxxxxxxxxxxxxxx
GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
AWS_ACCESS_KEY_ID=AKIAXXXXXXXXXXXXXXXX
"password": "********"
"password": "changeme"
password: ${{ secrets.DB_PASSWORD }}
password: {{ vault_db_password }}
token: !vault |
--password <password>
--token TOKEN
-p 8080:80
docker run -p 5432:5432 postgres:16
mysql -h localhost -P 3306 -u root -p
ssh -p 2222 deploy@example.com
postgres://user:password@localhost:5432/db
postgres://${USER}:${PASSWORD}@${HOST}/db
postgres://user:pass@db:5432/shop, mysql://root:your-password-here@localhost/x
mongodb://app:DB_PASSWORD@mongo/x or amqp://guest:***@mq, redis://:[password]@cache:6379
f"postgres://{user}:{quote(password)}@{host}/db", "https://%s:%s@%s/" % (user, pw, host)
https://user:<password>@example.com and https://user:$PASS@example.com, https://user:xxxxx@example.com
FROM docker://alpine:3.19@sha256:51b67269f354137895d43f3b3d810bfacd3945438e94dc5ac55fdac340352f48
https://<token>@github.com/org/repo.git
http://localhost:8080/callback?code=abc
redis://localhost:6379/0
git@github.com:org/repo.git
see https://example.com/@user and mailto:someone@example.com
fetch("https://api.example.com/v1/users?page_token=2&sort=asc")
next_page_token: CAUQAA1234567890abcdef
"nextToken": "eyJ2IjoxMjM0NTY3ODkwfQ1234567890"
csrf_token = form.csrf_token1
max_tokens: 4096
max_tokens=128000, temperature=0.7
"input_tokens": 1234567, "output_tokens": 89
token_count = len(tokens2)
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
secretsmanager = boto3.client("secretsmanager")
secretName: my-tls-secret-1
secret: "projects/my-project-123/secrets/db-pass/versions/1"
key = "user:1234:profile:v2"
cache_key = f"session:{user_id}:v2"
primary_key=True, foreign_key="users.id"
keyboard: qwerty104key
publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBenignBenignBenignBenignBenignBenign00 bob@laptop"
idempotency_key: 2024-01-15-invoice-1234
partition_key = "tenant#1234567890abcdef"
class TokenRefreshHandlerV2(BaseHandler):
test_password_reset_token_expires_after_24_hours
func TestFormatSessionInfo_ShowsMessageAndFilesWhenNoInteractions(t *testing.T) {
--- PASS: TestE2E_AutoCommitStrategy (13.48s)
-- PASS: TestIsShadowBranch/7_hex_chars
PASS: all 12 tests
PASSWORD_MIN_LENGTH = 8
password_hash_algorithm = "argon2id"
"password": "string", "format": "password"
passwordEncoder = new BCryptPasswordEncoder(12);
password.length >= 8
if password == "":
assert password != username1
if err := os.WriteFile(path, []byte("secret: "+highEntropySecret1), 0o644); err != nil {
type Credentials struct { Username string; Password string }
credentials: 'include'
sk-learn-pipeline-with-many-steps-and-words
class="sk-fading-circle sk-circle1-animation-delay"
risk-assessment-2024-final-version
task-4f8a2b1c-implementation-notes
disk-usage-report-for-the-last-quarter
flask-sqlalchemy-session-management-guide
desk-booking-service-0123456789
npm_config_registry=https://registry.npmjs.org/
hf_hub_download(repo_id="org/model-name-v2")
rk_live_mode_enabled_for_customers
pat-riot-and-other-kebab-words-in-a-row
key-value-store-with-replication-and-so-on
Basic authentication is not supported
Bearer authentication is required
the bearer of this letter is trustworthy
import { BasicAuthenticationProvider } from "./auth"
arn:aws:secretsmanager:us-west-2:123456789012:secret:MySecret1-a1b2c3
names = ["PKPaymentToken", "PKPushCredentials", "TKToken", "TKTokenAuthOperation2"]
private_key: PKCS7PrivateKeyTypes,
machine foo.example.com login bar password pass #comment2
"EXPASS", "*EXPORT2", "EXPROFILE"
Makefile:12: recipe for target 'secret-scan' failed
"""

HASHES = r"""
commit 3f9ad6b
commit 4f8a2b1c9d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
sha256=2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="
550e8400-e29b-41d4-a716-446655440000
session_id: 6fa459ea-ee8a-4ca4-894e-db77e160355e
"uuid":"123e4567-e89b-42d3-a456-426614174000"
token: 123e4567-e89b-42d3-a456-426614174000
ETag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
index 83db48f..bf269f4 100644
md5 d41d8cd98f00b204e9800998ecf8427e
h1:2jUZ8EvLVm3aHYJ4dGHKFmRKkYcNCxhBGYwMZvWNxdU=
docker pull nginx@sha256:4c1c50d0ffc614f90b93b07d778028dc765548e823f676fb027f61d281ac380d
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
gAAAAABmF3qYx1b0Yw9zYk5s3m2bKq0s8ZQhT7uVn4rXcDfGhJkLpO1iUyTrEwQaZxCvBnMlKjHgFdSaPoIuYtReWq
toolu_01A09q90qw90lq917835lq9
msg_01XFDUDYJgAACzvnptvVoYEL
req_011CSHoEeqs5C35K2UUqR7Fy
call_abc123DEF456ghi789JKL012
chatcmpl-8abcDEFghiJKLmnoPQRstuVWXyz12
0x71C7656EC7ab88b098defB751B7401B5f6d8976F
1700000000000 2024-01-15T10:30:00.000Z
v1.2.3-beta.4+build.20240115
"""

PATHS = r"""
/home/user/projects/my-app/node_modules/.pnpm/@babel+core@7.23.0/node_modules/@babel/core/lib/index.js
/Users/dev/Library/Application Support/Code/User/globalStorage/state.vscdb
C:\Users\name\AppData\Local\Temp\tmp1234abcd\new_token_file.txt
~/.claude/projects/-Users-dev-workspace-cli--worktrees-1/0a76fbfe-d767-433e-b4b1-a39e044f21e8.jsonl
src/main/java/com/example/security/JwtAuthenticationTokenFilter.java
tests/fixtures/secrets/README.md
token file: /var/run/secrets/kubernetes.io/serviceaccount/token
password_file=/run/secrets/db_password1
https://docs.example.com/guides/authentication/api-keys#rotating-your-api-key-2024
https://github.com/org/repo/commit/4f8a2b1c9d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a
https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=42s
https://example.com/%E4%BD%A0%E5%A5%BD/path%20with%20spaces
"""

PROSE = """
The token: it expires after 24 hours and must be refreshed.
The password is incorrect; try again in 5 minutes.
Your password must be at least 8 characters long.
A password: what is it good for?
password policy: minimum 12 characters
We pass the token to the API, and the API key is read from the environment.
The key is to keep it simple.
Is the secret of success hard work? The secret is persistence.
I forgot my password2 once.
The password is now required, and the password rotation changed from 30 to 90 days.
The password was changed to something longer; the password field moved to app2.py.
Argon2id is the password hasher, and user2.name is used as the password hint.
The password is loaded from secrets2.env to memory; the pwm signal runs at 2kHz9.
密码从1Password获取，由Argon2加密存储。
パスワードをbcrypt2でハッシュ化
登录接口的密码是什么？
密码长度至少8位，包含字母和数字。
密码：必填
请输入密码，密码错误3次会锁定
令牌过期后需要刷新，密钥由环境变量提供。
口令是否正确？
パスワードは8文字以上にしてください。
비밀번호는 8자 이상이어야 합니다.
Das Passwort ist falsch.
Le mot de passe est obligatoire.
La contraseña es obligatoria.
می‌خواهم این پروژه را نمی‌دانم چگونه شروع کنم.
क्षत्रिय क्‍ष श्री‌मान
שלום עולם, זה טקסט בעברית עם מספרים 123.
مرحبا بالعالم، هذا نص عربي ١٢٣.
Family: 👨‍👩‍👧‍👦, flag: 🏳️‍🌈, doctor: 👩🏽‍⚕️, heart: ❤️, keycap: 1️⃣ #️⃣, Wales: 🏴󠁧󠁢󠁷󠁬󠁳󠁿
naïve café über façade señor “quotes” — dashes… ✓ → ⇒ ≠
日本語のテキスト、한국어 텍스트, русский текст.
"""


def lines(block: str) -> list[str]:
    return [line for line in block.strip("\n").split("\n") if line]


TOP_LEVEL_DOMAINS = (
    "ABOGADO\nABUDHABI\nAC\nACADEMY\nACCENTURE\nACCOUNTANT\nASIA\nASSOCIATES\nATHLETA"
)

BENIGN = [line for block in (CODE, HASHES, PATHS, PROSE) for line in lines(block)]
