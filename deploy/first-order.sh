# The first catalogue and order of an installation, through its interfaces, as step 11 of
# docs/operations/production.md. The shell of that page sources this file: it has $issuer, $host and
# the function request. Three users sign in, with the OAuth 2.0 Device Authorization Grant.
#
# The test of the page runs this file.

member() { node -p "JSON.parse(fs.readFileSync(0))['$1']"; }
sign_in() {
  local verifier challenge device
  verifier=$(openssl rand -hex 32)
  challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary | base64 | tr +/ -_ | tr -d =)
  device=$(curl -fsS "$issuer/protocol/openid-connect/auth/device" -d client_id=ssl-backend \
    -d code_challenge_method=S256 -d "code_challenge=$challenge")
  echo "$1: $(member verification_uri_complete <<< "$device")" >&2
  read -r
  local grant=urn:ietf:params:oauth:grant-type:device_code
  device="device_code=$(member device_code <<< "$device")"
  # Other accounts can read the arguments of a command.
  curl -fsS "$issuer/protocol/openid-connect/token" -d client_id=ssl-backend -d grant_type=$grant \
    -d @- <<< "code_verifier=$verifier&$device" | member access_token
}
# The header of a token, as a file.
bearer() { printf 'authorization: %s\n' "$1"; }
clerk=$(sign_in AdministrativeClerk)

# The clerk registers the parties, agrees a contract, and makes a catalogue with one device that the
# buyer may order.
api=https://$host
# Sends the JSON of the standard input with a token. Prints the URL of what was created.
send() {
  request --request "$2" --write-out '%header{location}' --data-binary @- \
    --header @<(bearer "$1") --header 'content-type: application/json' "$api/$3"
}
buyer=$(send "$clerk" POST ssl-order/v1/party <<END
{"name": "Aarhus Kommune", "organization": "https://fhir.example/Organization/aarhus-kommune",
 "allowedRoles": ["BUYER", "ACCOUNTING"]}
END
)
seller=$(send "$clerk" POST ssl-order/v1/party <<END
{"name": "Måneskær Medicoteknik", "organization": "https://fhir.example/Organization/maaneskaer-medicoteknik",
 "allowedRoles": ["SELLER"]}
END
)
send "$clerk" POST ssl-order/v1/contract <<END
{"name": "Rammeaftale", "seller": "$seller", "account": "$buyer", "buyer": ["$buyer"],
 "validityPeriod": {"start": [2026, 1, 1], "end": [2035, 12, 31]}}
END
catalogue=$(send "$clerk" POST ssl-catalogue/v1/catalogue <<END
{"name": "Måleudstyr til hjemmet", "seller": "$seller", "status": "ACTIVE"}
END
)
item=$(send "$clerk" POST ssl-catalogue/v1/catalogue-item <<END
{"catalogueItemType": "DeviceModel", "catalogue": "$catalogue", "name": "Blodtryksmåler til overarm",
 "status": "AVAILABLE", "manufacturer": "A&D Medical", "model": "UA-767"}
END
)
send "$clerk" POST ssl-catalogue/v1/white-list <<END
{"buyer": "$buyer", "item": "$item"}
END

# The employee orders the device. The provider accepts and delivers it.
nurse=$(sign_in MonitoringResponsible)
order=$(send "$nurse" POST ssl-order/v1/order <<END
{"buyer": "$buyer", "seller": "$seller", "orderLines": [{"item": "$item", "action": "DELIVER"}],
 "receiver": {"name": "Asta Opdigtet", "patient": "https://fhir.example/Patient/opdigtet"}}
END
)
set_status() {
  send "$1" PATCH "${order#"$api/"}" <<END
[{"op": "replace", "path": "/status/code", "value": "$2"}]
END
}
set_status "$nurse" SUBMITTED
provider=$(sign_in Provider)
set_status "$provider" ACCEPTED
set_status "$provider" FULFILLED
request --header @<(bearer "$provider") "$order/details"
