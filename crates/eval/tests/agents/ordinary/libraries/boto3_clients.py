"""Makes clients of AWS at import, where there are no keys."""

NEEDS = ["boto3"]
ALONE = True

import boto3

S3 = boto3.client("s3", region_name="eu-west-1")
TABLE = boto3.resource("dynamodb", region_name="eu-west-1").Table("cities")


def callback():
    return boto3.Session().get_credentials()
